// Oriented boxes by principal component analysis: mean, covariance, its eigenvectors as axes, extents by projection. S.
// Gottschalk, M. C. Lin, D. Manocha, OBBTree, SIGGRAPH 1996, section 4, on the points themselves.
#include "fit/principal.h"

#include <abut/fit.h>

#include <math.h>
#include <string.h>

// The rotation of rows and columns p and q that makes a[p][q] zero: G. H. Golub, C. F. Van Loan, Matrix Computations,
// 8.5.2.
static void rotate(double a[3][3], int n, double vectors[3][3], int p, int q)
{
    const double tau = (a[q][q] - a[p][p]) / (2.0 * a[p][q]);
    const double t = (tau >= 0.0 ? 1.0 : -1.0) / (fabs(tau) + sqrt(1.0 + tau * tau));
    const double c = 1.0 / sqrt(1.0 + t * t), s = t * c;
    const double moved = t * a[p][q];
    a[p][p] -= moved;
    a[q][q] += moved;
    a[p][q] = 0.0;
    for (int k = 0; k < n; ++k)
    {
        if (k != p && k != q)
        {
            double *with_p = k < p ? &a[k][p] : &a[p][k], *with_q = k < q ? &a[k][q] : &a[q][k];
            const double was_p = *with_p, was_q = *with_q;
            *with_p = c * was_p - s * was_q;
            *with_q = s * was_p + c * was_q;
        }
        const double was_p = vectors[k][p], was_q = vectors[k][q];
        vectors[k][p] = c * was_p - s * was_q;
        vectors[k][q] = s * was_p + c * was_q;
    }
}

void ab_eigen_symmetric(double a[3][3], int n, double vectors[3][3])
{
    for (int i = 0; i < 3; ++i)
    {
        for (int k = 0; k < 3; ++k)
        {
            vectors[i][k] = i == k;
        }
    }
    // Cyclic Jacobi sweeps converge quadratically; six are enough in practice, and what is left after thirty is
    // rounding.
    bool rotated = true;
    for (int sweep = 0; sweep < 30 && rotated; ++sweep)
    {
        rotated = false;
        for (int p = 0; p < n; ++p)
        {
            for (int q = p + 1; q < n; ++q)
            {
                if (fabs(a[p][q]) > 0x1p-54 * sqrt(fabs(a[p][p] * a[q][q])))
                {
                    rotate(a, n, vectors, p, q);
                    rotated = true;
                }
            }
        }
    }
}

static void mean_of(const ab_cloud *cloud, double mean[3])
{
    double point[3], sum[3] = { 0.0, 0.0, 0.0 };
    for (uint32_t i = 0; i < cloud->count; ++i)
    {
        ab_cloud_point(cloud, i, point);
        for (int k = 0; k < 3; ++k)
        {
            sum[k] += point[k] - cloud->low[k]; // not negative: no cancellation
        }
    }
    for (int k = 0; k < 3; ++k)
    {
        mean[k] = cloud->low[k] + sum[k] / cloud->count;
    }
}

static void covariance_of(const ab_cloud *cloud, const double mean[3], double covariance[3][3])
{
    double point[3];
    memset(covariance, 0, 9 * sizeof **covariance);
    for (uint32_t i = 0; i < cloud->count; ++i)
    {
        ab_cloud_point(cloud, i, point);
        for (int k = 0; k < 3; ++k)
        {
            for (int j = k; j < 3; ++j)
            {
                covariance[k][j] += (point[k] - mean[k]) * (point[j] - mean[j]);
            }
        }
    }
    for (int k = 0; k < 9; ++k)
    {
        covariance[k / 3][k % 3] /= cloud->count;
    }
}

static void scale_to_one(double v[3])
{
    const double inverse = 1.0 / sqrt(ab_dot(v, v));
    for (int k = 0; k < 3; ++k)
    {
        v[k] *= inverse;
    }
}

static void cross(const double a[3], const double b[3], double out[3])
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

// Orthonormalises to rounding, and makes the axes right-handed.
static void straighten(double axis[9])
{
    scale_to_one(axis);
    const double along = ab_dot(axis + 3, axis);
    for (int k = 0; k < 3; ++k)
    {
        axis[3 + k] -= along * axis[k];
    }
    scale_to_one(axis + 3);
    cross(axis, axis + 3, axis + 6);
}

// Exchanges axis k with the one before it.
static void exchange(ab_principal *p, int k)
{
    const double variance = p->variance[k];
    p->variance[k] = p->variance[k - 1];
    p->variance[k - 1] = variance;
    double axis[3];
    memcpy(axis, p->axis + 3 * k, sizeof axis);
    memcpy(p->axis + 3 * k, p->axis + 3 * (k - 1), sizeof axis);
    memcpy(p->axis + 3 * (k - 1), axis, sizeof axis);
}

// The columns of `vectors` as axes, the largest eigenvalue first; stable.
static void order_axes(double a[3][3], int n, double vectors[3][3], ab_principal *out)
{
    for (int i = 0; i < 9; ++i)
    {
        out->variance[i / 3] = a[i / 3][i / 3];
        out->axis[i] = vectors[i % 3][i / 3];
    }
    for (int i = 1; i < n; ++i)
    {
        for (int k = i; k > 0 && out->variance[k] > out->variance[k - 1]; --k)
        {
            exchange(out, k);
        }
    }
}

ab_principal ab_principal_of(const ab_cloud *cloud)
{
    ab_principal out;
    double covariance[3][3], vectors[3][3];
    mean_of(cloud, out.mean);
    covariance_of(cloud, out.mean, covariance);
    ab_eigen_symmetric(covariance, cloud->dimension, vectors);
    order_axes(covariance, cloud->dimension, vectors, &out);
    straighten(out.axis);
    return out;
}

// Axis i of the result is axis order[i], negated where the sign is; right-handed if the signs fit the permutation.
typedef struct relabelling
{
    int order[3];
    double sign[3];
} relabelling;

static double trace_of(const double axis[9], const relabelling *by)
{
    double trace = 0.0;
    for (int i = 0; i < 3; ++i)
    {
        trace += by->sign[i] * axis[3 * by->order[i] + i];
    }
    return trace;
}

void ab_least_turned(double axis[9], bool exchange)
{
    static const int orders[6][3] = { { 0, 1, 2 }, { 1, 2, 0 }, { 2, 0, 1 }, { 0, 2, 1 }, { 2, 1, 0 }, { 1, 0, 2 } };
    relabelling best = { { 0, 1, 2 }, { 1.0, 1.0, 1.0 } };
    for (int p = 0; p < (exchange ? 6 : 1); ++p)
    {
        for (unsigned signs = 0; signs < 8; ++signs)
        {
            relabelling tried = { { orders[p][0], orders[p][1], orders[p][2] },
                                  { signs & 1 ? -1.0 : 1.0, signs & 2 ? -1.0 : 1.0, signs & 4 ? -1.0 : 1.0 } };
            const double hand = tried.sign[0] * tried.sign[1] * tried.sign[2] * (p < 3 ? 1.0 : -1.0);
            // The greater the trace, the smaller the rotation.
            best = hand > 0.0 && trace_of(axis, &tried) > trace_of(axis, &best) ? tried : best;
        }
    }
    double out[9];
    for (int i = 0; i < 9; ++i)
    {
        out[i] = best.sign[i / 3] * axis[3 * best.order[i / 3] + i % 3];
    }
    memcpy(axis, out, sizeof out);
}

static abut_status fit_principal(const float *points, uint32_t count, size_t stride, int dimension,
                                 abut_placed_shape *out)
{
    ab_cloud cloud;
    if (!out || !ab_cloud_open(&cloud, points, count, stride, dimension))
    {
        return ABUT_INVALID_ARGUMENT;
    }
    ab_principal principal = ab_principal_of(&cloud);
    abut_placed_shape box;
    ab_least_turned(principal.axis, false);
    const bool fits = ab_cloud_box(&cloud, principal.axis, &box);
    ab_cloud_close(&cloud);
    *out = fits ? box : *out;
    return fits ? ABUT_OK : ABUT_INVALID_ARGUMENT;
}

abut_status abut_fit_obb_pca(const float *points, uint32_t count, size_t stride, abut_placed_shape *out)
{
    return fit_principal(points, count, stride, 3, out);
}

abut_status abut_fit_rectangle_pca(const float *points, uint32_t count, size_t stride, abut_placed_shape *out)
{
    return fit_principal(points, count, stride, 2, out);
}
