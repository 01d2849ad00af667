package files

import (
	"bytes"
	"encoding/json"
)

// Repeated finds the first key of a JSON text that its object has twice, and its line; "" if there is none. Decoders
// take the last value of such a key and say nothing.
func Repeated(text []byte) (key string, line int) {
	d := json.NewDecoder(bytes.NewReader(text))
	var open []map[string]bool // keys of the objects around, nil of a list
	named := false             // the next token of an object is a value
	for {
		t, err := d.Token()
		if err != nil {
			return "", 0
		}
		last := len(open) - 1
		name, isText := t.(string)
		if last >= 0 && open[last] != nil && isText && !named {
			if open[last][name] {
				return name, 1 + bytes.Count(text[:d.InputOffset()], []byte{'\n'})
			}
			open[last][name], named = true, true
			continue
		}
		named = false
		switch t {
		case json.Delim('{'):
			open = append(open, map[string]bool{})
		case json.Delim('['):
			open = append(open, nil)
		case json.Delim('}'), json.Delim(']'):
			open = open[:last]
		}
	}
}
