// The referee, and then the library, against cases re-stated from other projects' tests, with answers worked out
// exactly (see data/README.md).
#include "referee.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <setjmp.h>

#include <cmocka.h>

#define COLUMNS 48

// A table of comma-separated values; its first row names the columns.
typedef struct row
{
    char text[2048]; // cut into its fields
    char *field[COLUMNS];
    int count;
} row;

typedef struct table
{
    FILE *file;
    row names, row;
} table;

static bool read_row(FILE *file, row *r)
{
    if (!fgets(r->text, sizeof r->text, file))
    {
        return false;
    }
    r->text[strcspn(r->text, "\r\n")] = '\0';
    r->count = 0;
    r->field[r->count++] = r->text;
    bool quoted = false;
    for (char *c = r->text; *c; ++c)
    {
        quoted = *c == '"' ? !quoted : quoted;
        if (*c == ',' && !quoted)
        {
            *c = '\0';
            assert_true(r->count < COLUMNS);
            r->field[r->count++] = c + 1;
        }
    }
    return true;
}

static bool next(table *t)
{
    if (!read_row(t->file, &t->row))
    {
        fclose(t->file);
        return false;
    }
    assert_int_equal(t->row.count, t->names.count);
    return true;
}

// The table is filled where it lies: its fields point into its own text.
static void open_table(table *t, const char *name)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/tests/data/%s", ABUT_SOURCE_DIR, name);
    t->file = fopen(path, "r");
    assert_non_null(t->file);
    assert_true(read_row(t->file, &t->names));
}

static const char *text(const table *t, const char *column)
{
    for (int k = 0; k < t->names.count; ++k)
    {
        if (strcmp(t->names.field[k], column) == 0)
        {
            return t->row.field[k];
        }
    }
    fail_msg("no column %s", column);
    return "";
}

static double number(const table *t, const char *column)
{
    char *end;
    const char *field = text(t, column);
    double value = strtod(field, &end);
    if (end == field || *end != '\0')
    {
        fail_msg("case %s: column %s is no number: '%s'", t->row.field[0], column, field);
    }
    return value;
}

static double part(const table *t, const char *prefix, const char *suffix)
{
    char column[32];
    snprintf(column, sizeof column, "%s%s", prefix, suffix);
    return number(t, column);
}

static dvec3 vector(const table *t, const char *prefix)
{
    return dvec3_make(part(t, prefix, "x"), part(t, prefix, "y"), part(t, prefix, "z"));
}

static referee_solid box(const table *t, const char *centre, const char *rotation, const char *half)
{
    dquat q = { part(t, rotation, "w"), part(t, rotation, "x"), part(t, rotation, "y"), part(t, rotation, "z") };
    return referee_box(vector(t, centre), q, vector(t, half));
}

static void near(const table *t, const char *what, double ours, double theirs, double tolerance)
{
    if (!(fabs(ours - theirs) <= tolerance))
    {
        fail_msg("case %s: %s is %.17g, should be %.17g", t->row.field[0], what, ours, theirs);
    }
}

// Exactly touching cases are within the band; all others must be decided, and as the exact oracle has it.
static void decision(const table *t, const referee_solid *a, const referee_solid *b)
{
    int overlap = (int)number(t, "x_overlap");
    referee_verdict verdict = referee_decide(a, b, 0.0);
    bool decided_wrongly = (overlap == 1 && verdict == REFEREE_APART) ||
                           (overlap == -1 && verdict == REFEREE_TOUCHING) ||
                           (overlap == 0 && verdict != REFEREE_UNDECIDED);
    if (decided_wrongly)
    {
        fail_msg("case %s: overlap %d, verdict %d", t->row.field[0], overlap, verdict);
    }
    if (verdict == REFEREE_UNDECIDED)
    {
        assert_true(fabs(referee_collide(a, b).separation) <= 1e-6 * (a->reach + b->reach));
    }
}

static bool among_the_best(const referee_contact *contact, dvec3 normal)
{
    for (int k = 0; k < contact->count; ++k)
    {
        const referee_axis *axis = &contact->axis[k];
        double apart = dvec3_length(dvec3_sub(normal, axis->normal));
        double opposite = axis->two_way ? dvec3_length(dvec3_add(normal, axis->normal)) : 2.0;
        if (axis->separation >= contact->separation - 1e-12 * contact->scale && fmin(apart, opposite) < 1e-8)
        {
            return true;
        }
    }
    return false;
}

static void box_pairs_agree_with_the_exact_oracle(void **state)
{
    (void)state;
    table t;
    open_table(&t, "lifted_boxbox.csv");
    int count = 0;
    for (; next(&t); ++count)
    {
        referee_solid a = box(&t, "ac", "aq", "ah");
        referee_solid b = box(&t, "bc", "bq", "bh");
        referee_contact contact = referee_collide(&a, &b);
        double tolerance = 1e-13 * (contact.scale + dvec3_length(a.centre) + dvec3_length(b.centre));
        decision(&t, &a, &b);
        near(&t, "separation", contact.separation, number(&t, "x_sat_sep"), tolerance);
        near(&t, "distance", referee_distance(&a, &b), number(&t, "x_dist"), tolerance);
        if (!among_the_best(&contact, vector(&t, "x_n")))
        {
            fail_msg("case %s: the normal is not among the best axes", t.row.field[0]);
        }
    }
    assert_int_equal(count, 859);
}

static void sphere_box_pairs_agree_with_the_exact_oracle(void **state)
{
    (void)state;
    table t;
    open_table(&t, "lifted_spherebox.csv");
    int count = 0;
    for (; next(&t); ++count)
    {
        referee_solid a = referee_ball(vector(&t, "sc"), number(&t, "sr"));
        referee_solid b = referee_box(dvec3_make(0, 0, 0), (dquat){ 1, 0, 0, 0 }, vector(&t, "bh"));
        double separation = number(&t, "x_sep");
        decision(&t, &a, &b);
        near(&t, "separation", referee_collide(&a, &b).separation, separation, 1e-14 * (a.reach + b.reach));
        near(&t, "swapped separation", referee_collide(&b, &a).separation, separation, 1e-14 * (a.reach + b.reach));
        near(&t, "distance", referee_distance(&a, &b), fmax(0.0, separation), 1e-14 * (a.reach + b.reach));
    }
    assert_int_equal(count, 31);
}

static void sphere_pairs_agree_with_what_is_expected(void **state)
{
    (void)state;
    table t;
    open_table(&t, "lifted_spheresphere.csv");
    int count = 0;
    for (; next(&t); ++count)
    {
        referee_solid a = referee_ball(dvec3_make(0, number(&t, "ay"), 0), number(&t, "ar"));
        referee_solid b = referee_ball(dvec3_make(0, number(&t, "by"), 0), number(&t, "br"));
        near(&t, "separation", referee_collide(&a, &b).separation, number(&t, "exp_dist"), 1e-14);
    }
    assert_int_equal(count, 1441);
}

static abut_vec3 narrow(dvec3 v)
{
    return abut_vec3_make((float)v.x, (float)v.y, (float)v.z);
}

static abut_pose pose_of(const table *t, const char *centre, const char *rotation)
{
    abut_pose pose = { .position = narrow(vector(t, centre)) };
    pose.rotation = (abut_quat){ (float)part(t, rotation, "x"), (float)part(t, rotation, "y"),
                                 (float)part(t, rotation, "z"), (float)part(t, rotation, "w") };
    return pose;
}

// Rounded to float, the library's answer is right for what was rounded, and decides as the exact oracle does wherever
// rounding cannot matter.
static void judge_library(const table *t, const abut_shape *a, const abut_pose *pose_a, const abut_shape *b,
                          const abut_pose *pose_b, double exact_separation)
{
    abut_manifold m;
    char why[REFEREE_WHY];
    assert_int_equal(abut_collide(a, pose_a, b, pose_b, 0.0f, &m), ABUT_OK);
    if (!referee_check_manifold(a, pose_a, b, pose_b, 0.0f, &m, why))
    {
        fail_msg("case %s: %s", t->row.field[0], why);
    }
    referee_solid solid_a = referee_solid_of(a, pose_a, NULL), solid_b = referee_solid_of(b, pose_b, NULL);
    double coordinates = dvec3_length(solid_a.centre) + dvec3_length(solid_b.centre);
    if (fabs(exact_separation) > 1e-6 * (solid_a.reach + solid_b.reach + coordinates))
    {
        assert_int_equal(m.point_count > 0, exact_separation < 0.0);
    }
}

static void the_library_is_right_on_the_cases_of_others(void **state)
{
    (void)state;
    table t;
    open_table(&t, "lifted_boxbox.csv");
    while (next(&t))
    {
        abut_shape a = { .kind = ABUT_OBB, .box.half_extents = narrow(vector(&t, "ah")) };
        abut_shape b = { .kind = ABUT_OBB, .box.half_extents = narrow(vector(&t, "bh")) };
        abut_pose pose_a = pose_of(&t, "ac", "aq"), pose_b = pose_of(&t, "bc", "bq");
        judge_library(&t, &a, &pose_a, &b, &pose_b, number(&t, "x_sat_sep"));
        judge_library(&t, &b, &pose_b, &a, &pose_a, number(&t, "x_sat_sep"));
    }
    open_table(&t, "lifted_spherebox.csv");
    while (next(&t))
    {
        abut_shape ball = { .kind = ABUT_SPHERE, .sphere.radius = (float)number(&t, "sr") };
        abut_pose pose = { .position = narrow(vector(&t, "sc")), .rotation = { 0, 0, 0, 1 } };
        abut_pose origin = { .rotation = { 0, 0, 0, 1 } };
        for (abut_shape_kind kind = ABUT_AABB; kind <= ABUT_OBB; ++kind)
        {
            abut_shape box_shape = { .kind = kind, .box.half_extents = narrow(vector(&t, "bh")) };
            judge_library(&t, &ball, &pose, &box_shape, &origin, number(&t, "x_sep"));
            judge_library(&t, &box_shape, &origin, &ball, &pose, number(&t, "x_sep"));
        }
    }
    open_table(&t, "lifted_spheresphere.csv");
    while (next(&t))
    {
        abut_shape a = { .kind = ABUT_SPHERE, .sphere.radius = (float)number(&t, "ar") };
        abut_shape b = { .kind = ABUT_SPHERE, .sphere.radius = (float)number(&t, "br") };
        abut_pose pose_a = { .position = { 0, (float)number(&t, "ay"), 0 }, .rotation = { 0, 0, 0, 1 } };
        abut_pose pose_b = { .position = { 0, (float)number(&t, "by"), 0 }, .rotation = { 0, 0, 0, 1 } };
        judge_library(&t, &a, &pose_a, &b, &pose_b, number(&t, "exp_dist"));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(box_pairs_agree_with_the_exact_oracle),
        cmocka_unit_test(sphere_box_pairs_agree_with_the_exact_oracle),
        cmocka_unit_test(sphere_pairs_agree_with_what_is_expected),
        cmocka_unit_test(the_library_is_right_on_the_cases_of_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
