package trace

import (
	"encoding/json"
	"testing"
	"unicode/utf8"
)

// What the reader of objects finds is what encoding/json finds.
func FuzzObject(f *testing.F) {
	f.Add(`{"a":1,"b" : "x\"y\\", "c":[1,{"d":"]"}], "a":{"b":null} ,"\u0064":true,"e":-1.5e3}`)
	f.Add("{ \"a\" :\t\"\\\\\"\n,\"b\":[[],{}],\"c\":\"\\u00e4\"}")
	f.Fuzz(func(t *testing.T, text string) {
		var want map[string]json.RawMessage
		if !utf8.ValidString(text) || !json.Valid([]byte(text)) || json.Unmarshal([]byte(text), &want) != nil || want == nil {
			return
		}
		got := map[string]json.RawMessage{}
		body := trim([]byte(text))
		for i := 1; ; {
			key, value, next := member(body, i)
			if next < 0 {
				break
			}
			i = next
			got[string(key)] = value
			var s scalar
			s.set(value)
			var str string
			if json.Unmarshal(value, &str) == nil && string(value) != "null" && string(s.text) != str && json.Valid(value) {
				t.Fatalf("%q is read as %q", value, s.text)
			}
			var list []json.RawMessage
			if json.Unmarshal(value, &list) == nil && list != nil {
				p := &place{}
				n := 0
				if err := p.list("", raw(value), 1<<30, func(i int, e []byte) *Error {
					if string(e) != string(list[i]) {
						t.Fatalf("element %d of %q is read as %q", i, value, e)
					}
					n++
					return nil
				}); err != nil || n != len(list) {
					t.Fatalf("%q: %v, %d elements of %d", value, err, n, len(list))
				}
			}
		}
		if len(got) != len(want) {
			t.Fatalf("%q: %d members of %d", text, len(got), len(want))
		}
		for k, v := range want {
			if string(got[k]) != string(v) {
				t.Fatalf("%q: %q is %q, want %q", text, k, got[k], v)
			}
		}
	})
}
