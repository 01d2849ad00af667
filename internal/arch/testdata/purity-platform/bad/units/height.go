//go:build !race

package units // want purity-platform

const height = 1
