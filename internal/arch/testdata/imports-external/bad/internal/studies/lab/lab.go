// Package lab reads YAML itself.
package lab

import _ "github.com/goccy/go-yaml" // want imports-external
