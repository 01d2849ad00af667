package compose

import (
	"encoding/json"
	"reflect"
)

// Memory is what a part, or an order, implements that remembers something. What it takes from the
// view when it is asked first need not be in it.
type Memory interface {
	json.Marshaler
	json.Unmarshaler
	// CopyFrom takes over what another one of its type and parameters remembers. They share nothing
	// that changes.
	CopyFrom(other any)
}

// Plain is what a part implements in place of Memory whose memory is one struct of exported fields: values, and lists
// of values. They are saved and copied as they are.
type Plain interface {
	// Remembers returns a pointer to that struct.
	Remembers() any
}

// plain is the memory of such a part.
type plain struct{ at any }

// MarshalJSON writes the fields.
func (p plain) MarshalJSON() ([]byte, error) { return json.Marshal(p.at) }

// UnmarshalJSON reads what MarshalJSON wrote.
func (p plain) UnmarshalJSON(text []byte) error {
	reflect.ValueOf(p.at).Elem().SetZero()
	return json.Unmarshal(text, p.at)
}

// CopyFrom takes over the fields, and shares no list.
func (p plain) CopyFrom(other any) {
	copyOf(reflect.ValueOf(p.at).Elem(), reflect.ValueOf(other.(plain).at).Elem())
}

// copyOf copies a value with the lists in it.
func copyOf(to, from reflect.Value) {
	to.Set(from)
	switch {
	case to.Kind() == reflect.Slice && !to.IsNil():
		to.Set(reflect.AppendSlice(reflect.MakeSlice(to.Type(), 0, to.Len()), from))
	case to.Kind() == reflect.Struct:
		for i := range to.NumField() {
			if to.Field(i).CanSet() {
				copyOf(to.Field(i), from.Field(i))
			}
		}
	}
}
