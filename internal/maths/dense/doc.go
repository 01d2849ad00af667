// Package dense is the linear algebra of small dense matrices: Cholesky factors of symmetric
// positive definite ones, and least squares by Householder's QR with pivoting. Matrices are slices
// by rows. Nothing is allocated but where a function says so.
//
// Products that are added are rounded by themselves (float64(a*b)), so that every processor finds
// the same bits, whether or not it can fuse them.
package dense
