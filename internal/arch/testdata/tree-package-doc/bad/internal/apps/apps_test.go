// Package apps has a doc comment in its test only.
package apps
