// Package apps has its doc comment in one of its files.
package apps
