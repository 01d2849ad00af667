// Package scenario reads YAML.
package scenario

import _ "github.com/goccy/go-yaml"
