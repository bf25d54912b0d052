#include "view.h"

static abut_vec3 unit(abut_vec3 v)
{
    return abut_vec3_scale(v, 1.0f / abut_vec3_length(v));
}

view view_along(abut_vec3 eye, abut_vec3 direction)
{
    view camera = { .eye = eye, .forward = unit(direction), .focal = 1.0f };
    camera.right = unit(abut_vec3_cross(camera.forward, abut_vec3_make(0.0f, 1.0f, 0.0f)));
    camera.up = abut_vec3_cross(camera.right, camera.forward);
    return camera;
}

float view_depth(const view *camera, abut_vec3 point)
{
    return abut_vec3_dot(camera->forward, abut_vec3_sub(point, camera->eye));
}

canvas_point view_project(const view *camera, abut_vec3 point)
{
    const abut_vec3 away = abut_vec3_sub(point, camera->eye);
    const float scale = camera->parallel ? camera->focal : camera->focal / abut_vec3_dot(camera->forward, away);
    return (canvas_point){ camera->centre_x + scale * abut_vec3_dot(camera->right, away),
                           camera->centre_y - scale * abut_vec3_dot(camera->up, away) };
}

abut_vec3 view_unproject(const view *camera, canvas_point pixel, float depth)
{
    const float scale = camera->parallel ? 1.0f / camera->focal : depth / camera->focal;
    const abut_vec3 across = abut_vec3_scale(camera->right, (pixel.x - camera->centre_x) * scale);
    const abut_vec3 upward = abut_vec3_scale(camera->up, (camera->centre_y - pixel.y) * scale);
    const abut_vec3 ahead = abut_vec3_scale(camera->forward, depth);
    return abut_vec3_add(abut_vec3_add(camera->eye, ahead), abut_vec3_add(across, upward));
}
