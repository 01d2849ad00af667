package config

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/goccy/go-yaml/ast"
	"pgregory.net/rapid"
)

// greedy is a type that keeps what it refuses.
type greedy struct{ text string }

func (g *greedy) UnmarshalText(text []byte) error {
	g.text = string(text)
	if g.text == "bad" {
		return errors.New("it is bad")
	}
	return nil
}

// eager is a form that does.
type eager struct{ Found int }

func (e *eager) read(d *Document, n ast.Node, path string) {
	if e.Found = 1; kindOf(n) == quote("bad") {
		d.failf(n, "%s is bad", Name(path))
	}
}

func (eager) wanted() string { return "a form" }

type all struct {
	Text   string            `json:"text" enum:"good|better"`
	Number int               `json:"number" min:"1" max:"9"`
	Part   float64           `json:"part" above:"0" max:"1"`
	Yes    bool              `json:"yes"`
	Span   Span              `json:"span" min:"0"`
	Spans  Spans             `json:"spans"`
	Greedy greedy            `json:"greedy"`
	Some   *int              `json:"some" min:"1"`
	Maybe  *greedy           `json:"maybe"`
	Form   eager             `json:"form"`
	List   OneOrMore[greedy] `json:"list"`
	Table  map[string]greedy `json:"table"`
}

// Whatever is refused is as if nobody had written it, for values of all kinds, in any company.
func TestRefusedValuesAreNotKept(t *testing.T) {
	values := map[string][2]string{ // good, bad
		"text": {"good", "worse"}, "number": {"3", "10"}, "part": {"0.5", "-1"}, "yes": {"true", "3"}, "span": {"3s", "-3s"}, "spans": {"1s..2s", "3s..1s"},
		"greedy": {"fine", "bad"}, "some": {"1", "0"}, "maybe": {"fine", "bad"}, "form": {"fine", "bad"}, "list": {"[fine, fine]", "[bad, bad]"},
		"table": {"{a: fine}", "{a: bad}"},
	}
	rapid.Check(t, func(t *rapid.T) {
		var text strings.Builder
		bad := map[string]bool{}
		for _, f := range fieldsOf(reflect.TypeFor[all]()) {
			if rapid.IntRange(0, 2).Draw(t, f.name) == 0 {
				continue
			}
			bad[f.name] = rapid.Bool().Draw(t, "bad")
			fmt.Fprintf(&text, "%s: %s\n", f.name, values[f.name][map[bool]int{false: 0, true: 1}[bad[f.name]]])
		}
		doc, err := ParseOne("f", []byte(text.String()+"x: 1\n"))
		if err != nil {
			t.Fatal(err)
		}
		var v all
		doc.Read(&v)
		for _, f := range fieldsOf(reflect.TypeFor[all]()) {
			is, given := bad[f.name]
			got := reflect.ValueOf(v).FieldByIndex(f.index)
			empty := got.IsZero()
			switch list := got.Interface().(type) {
			case OneOrMore[greedy]: // its places stay, for those who come after them
				empty = len(list) == 0 || list[0] == greedy{}
			case map[string]greedy:
				empty = list["a"] == greedy{}
			}
			if empty != (is || !given) {
				t.Errorf("%s is %+v\n%s", f.name, got, &text)
			}
		}
	})
}
