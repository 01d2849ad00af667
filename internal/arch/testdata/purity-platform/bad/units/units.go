// Package units is not the same everywhere.
package units
