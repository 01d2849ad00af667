package trace

import (
	"encoding/json"
	"strings"
	"testing"
)

// Fields, lists and scalars are what a plain reading of the whole text finds, and null is nothing.
func FuzzFields(f *testing.F) {
	f.Add(`{"a":1,"b" : ["x\"y\\", {"d":"]"},3], "a":{"b":null} ,"\u0064":true,"e":-1.5e3}`)
	f.Add(`{"a":1,"b" : ["x\"y\\", {"d":"]"},3], "c":{"b":null} ,"\u0064":true,"e":-1.5e3}`)
	f.Add("{ \"a\" :\t\"\\\\\"\n,\"b\":[[],{} , null],\"c\":\"\\u00e4\"}")
	f.Add(`{"a":{"string":"x"},"b":null}`)
	f.Add(`[1]`)
	f.Fuzz(func(t *testing.T, text string) {
		p := &place{}
		var got struct {
			A scalar `json:"a"`
			B raw    `json:"b"`
		}
		var want struct {
			A any               `json:"a"`
			B []json.RawMessage `json:"b"`
		}
		if err := p.decode([]byte(text), &got); err != nil && strings.HasSuffix(err.Text, "is given twice") {
			if n := strings.Count(text, `"`); n < 4 {
				t.Fatalf("%q: %v", text, err)
			}
			return
		} else if (err == nil) != (json.Valid([]byte(text)) && kindOf([]byte(text)) == "object") {
			// not UTF-8
			if err == nil || json.Valid([]byte(text)) && kindOf([]byte(text)) == "object" && err.Text[0] != '"' {
				t.Fatalf("%q: %v", text, err)
			}
		}
		if p.decode([]byte(text), &got) != nil || json.Unmarshal([]byte(text), &want) != nil {
			return
		}
		if avro, ok := want.A.(map[string]any); ok {
			if s, ok := avro["string"].(string); ok && len(avro) == 1 {
				want.A = s
			}
		}
		if s, ok := want.A.(string); ok != (got.A.is == 's') && got.A.text != nil && want.A != nil || ok && string(got.A.text) != s {
			t.Fatalf("%q: a is %q, want %v", text, got.A.text, want.A)
		}
		var keys map[string]json.RawMessage
		if err := json.Unmarshal([]byte(text), &keys); err != nil {
			t.Fatal(err)
		}
		delete(keys, "a")
		delete(keys, "b")
		strict := &place{strict: true}
		if err := strict.decode([]byte(text), &got); (err != nil) != (len(keys) > 0) {
			t.Fatalf("%q: other keys %v, but %v", text, keys, err)
		}
		n := 0
		list(p, "b", got.B, 1<<30, func(e *json.RawMessage) {
			if string(*e) != string(want.B[n]) {
				t.Fatalf("%q: element %d is %q, want %q", text, n, *e, want.B[n])
			}
			n++
		})
		if err := p.wrong(); err != nil || n != len(want.B) {
			t.Fatalf("%q: %d elements, want %d; %v", text, n, len(want.B), err)
		}
	})
}
