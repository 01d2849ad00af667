// Package scenario reads YAML.
package config

import _ "github.com/goccy/go-yaml"
