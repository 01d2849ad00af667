package config

import (
	"encoding/json"
	"reflect"
)

// Schema returns the JSON Schema (2020-12) of files that are read into a struct, made from the tags
// that they are read by.
func Schema(t reflect.Type, title string) ([]byte, error) {
	s := shapeOf(t, map[reflect.Type]bool{})
	s["$schema"] = "https://json-schema.org/draft/2020-12/schema"
	s["title"] = title
	return json.MarshalIndent(s, "", "  ")
}

// shapeOf is the schema of a type. A type inside itself (queues below a queue) is cut off after the
// first time: any mapping.
func shapeOf(t reflect.Type, inside map[reflect.Type]bool) map[string]any {
	switch v := reflect.New(t).Interface().(type) {
	case Former:
		return v.Form().shape()
	case interface{ shape() map[string]any }:
		return v.shape()
	case interface{ oneOrMore() }:
		one := shapeOf(t.Elem(), inside)
		return map[string]any{"anyOf": []any{one, map[string]any{"type": "array", "items": one}}}
	}
	if reflect.PointerTo(t).Implements(textType) {
		return map[string]any{"type": []string{"string", "integer"}}
	}
	switch t.Kind() {
	case reflect.Pointer:
		return shapeOf(t.Elem(), inside)
	case reflect.Bool:
		return map[string]any{"type": "boolean"}
	case reflect.Int, reflect.Int64:
		return map[string]any{"type": "integer"}
	case reflect.Float64:
		return map[string]any{"type": "number"}
	case reflect.Slice:
		return map[string]any{"type": "array", "items": shapeOf(t.Elem(), inside)}
	case reflect.Map:
		return map[string]any{"type": "object", "additionalProperties": shapeOf(t.Elem(), inside)}
	case reflect.Struct:
		if inside[t] {
			return map[string]any{"type": "object"}
		}
		inside[t] = true
		defer delete(inside, t)
		return mappingShape(t, inside)
	}
	return map[string]any{"type": []string{"string", "number", "boolean"}}
}

func mappingShape(t reflect.Type, inside map[reflect.Type]bool) map[string]any {
	properties := map[string]any{}
	var needed []string
	for _, f := range fieldsOf(t) {
		s := shapeOf(f.typ, inside)
		bounded := s
		if items, ok := s["items"].(map[string]any); ok {
			bounded = items
		}
		for name, bound := range map[string]*float64{"minimum": f.min, "exclusiveMinimum": f.above, "maximum": f.max} {
			if _, written := bounded["pattern"]; bound != nil && !written {
				bounded[name] = *bound
			}
		}
		if f.label != "" {
			if either, ok := s["anyOf"].([]any); ok {
				bounded = either[0].(map[string]any)
			}
			bounded["maxLength"] = maxName
		}
		if f.filled() {
			bounded["minLength"] = 1
		} else if f.some {
			list := s
			if either, ok := s["anyOf"].([]any); ok { // one, or a list
				list = either[1].(map[string]any)
			}
			list["minItems"] = 1
		}
		if len(f.enum) > 0 {
			bounded["enum"] = f.enum
		}
		if f.doc != "" {
			s["description"] = f.doc
		}
		if f.def != "" {
			s["default"] = defaultOf(f)
		}
		if f.need {
			needed = append(needed, f.name)
		}
		properties[f.name] = s
	}
	s := map[string]any{"type": "object", "properties": properties, "additionalProperties": false}
	if len(needed) > 0 {
		s["required"] = needed
	}
	return s
}

// defaultOf is the default as JSON has it: a number where the key takes one.
func defaultOf(f field) any {
	v := reflect.New(f.typ)
	if _, text := v.Interface().(interface{ UnmarshalText([]byte) error }); text || f.typ.Kind() == reflect.String {
		return f.def
	}
	setDefault(v.Elem(), f.def)
	return v.Elem().Interface()
}
