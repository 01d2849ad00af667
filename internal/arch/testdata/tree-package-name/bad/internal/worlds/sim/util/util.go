// Package util holds what had no place.
package util // want tree-package-name
