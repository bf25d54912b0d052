// The principal axes of a cloud.
#ifndef AB_PRINCIPAL_H
#define AB_PRINCIPAL_H

#include "fit/cloud.h"

typedef struct ab_principal
{
    double mean[3];
    double variance[3]; // along each axis, descending; in 2D the third is zero
    double axis[9];     // orthonormal and right-handed; in 2D the third is z
} ab_principal;

ab_principal ab_principal_of(const ab_cloud *cloud);

// Computes the eigenvalues of the symmetric matrix whose upper triangle is in a's first n rows and columns (n is 2 or
// 3), into its diagonal, and their unit eigenvectors, into the columns of `vectors`. Unordered.
void ab_eigen_symmetric(double a[3][3], int n, double vectors[3][3]);

// Of the rotations that describe the same box, chooses the smallest: by half turns only, or by quarter turns as well,
// which exchange axes.
void ab_least_turned(double axis[9], bool exchange);

#endif
