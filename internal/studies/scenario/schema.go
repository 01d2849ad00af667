package scenario

import (
	"fmt"
	"maps"
	"reflect"
	"slices"

	"github.com/slackline/slackline/internal/config"
	"github.com/slackline/slackline/internal/maths/spelling"
)

// schemas are the kinds of files that have one.
var schemas = map[string]reflect.Type{
	"job":      reflect.TypeFor[Job](),
	"scenario": reflect.TypeFor[Scenario](),
	"capacity": reflect.TypeFor[Capacity](),
	"offers":   reflect.TypeFor[Offers](),
	"claims":   reflect.TypeFor[Claims](),
}

// Schemas lists the kinds of files that have a schema.
func Schemas() []string { return slices.Sorted(maps.Keys(schemas)) }

// Schema returns the JSON Schema (2020-12) of files of a kind.
func Schema(kind string) ([]byte, error) {
	t, ok := schemas[kind]
	if !ok {
		return nil, fmt.Errorf("there is no schema of %q%s", kind, spelling.Hint(kind, Schemas()))
	}
	return config.Schema(t, "Slackline "+kind+" file")
}
