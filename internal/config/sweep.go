package config

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"

	"github.com/slackline/slackline/internal/maths/each"
	"github.com/slackline/slackline/internal/maths/spelling"
)

// Sweep is values for some keys of a file, each of which is to be combined with each other.
type Sweep struct{ axes []axis }

// axis is one key and its values.
type axis struct {
	path   string
	at     Pos
	values []ast.Node
	texts  []string // as they are written
}

// maxVariants bounds what one sweep comes to.
const maxVariants = 10_000

func (s *Sweep) read(d *Document, n ast.Node, path string) {
	total := 1
	d.pairs(n, path, func(key string, at Pos, val ast.Node) {
		a := axis{path: key, at: at}
		d.at[Join(path, key)] = at
		list, ok := val.(*ast.SequenceNode)
		if !ok || len(list.Values) == 0 {
			d.errorAt(at, "%s has no list of values; write one, such as [10, 20, 40]", key)
			return
		}
		for _, v := range list.Values {
			text := oneLine(v.String())
			if slices.Contains(a.texts, text) {
				d.failf(v, "the value %s is given twice", text)
			}
			a.values, a.texts = append(a.values, v), append(a.texts, text)
		}
		if total *= len(a.values); total > maxVariants {
			d.errorAt(at, "the sweep comes to more than %d scenarios", maxVariants)
			total = 1
		}
		s.axes = append(s.axes, a)
	})
}

func (Sweep) wanted() string {
	return "a mapping from keys to lists of values, such as {cluster.nodes: [10, 20]}"
}

func (Sweep) shape() map[string]any {
	return map[string]any{"type": "object", "additionalProperties": map[string]any{"type": "array", "minItems": 1}}
}

// Has tells whether the sweep gives the key at a path.
func (s *Sweep) Has(path string) bool {
	return slices.ContainsFunc(s.axes, func(a axis) bool { return a.path == path })
}

// Keys are the paths of the keys that it gives, in the order of the file.
func (s *Sweep) Keys() []string {
	return each.Of(s.axes, func(a axis) string { return a.path })
}

// Variants returns the document once for each combination of values, the last key varying fastest,
// and hands those values over, as they are written. Without a sweep there are none.
func (s *Sweep) Variants(d *Document, then func(d *Document, params map[string]string) error) error {
	at := make([]int, len(s.axes))
	for i := len(at) - 1; i >= 0; {
		v, params := &Document{File: d.File, root: d.root, over: map[string]ast.Node{}}, map[string]string{}
		for k, a := range s.axes {
			v.over[a.path], params[a.path] = a.values[at[k]], a.texts[at[k]]
		}
		if err := then(v, params); err != nil {
			return with(err, params)
		}
		for _, a := range s.axes {
			if !v.met[a.path] {
				return Errors{{File: d.File, Pos: a.at, Text: fmt.Sprintf("there is no key %q to sweep%s", a.path, spelling.Hint(a.path, v.names))}}
			}
		}
		for i = len(at) - 1; i >= 0; i-- {
			if at[i]++; at[i] < len(s.axes[i].values) {
				break
			}
			at[i] = 0
		}
	}
	return nil
}

// with says with which values of the sweep the file is wrong.
func with(err error, params map[string]string) error {
	es, ok := err.(Errors)
	if !ok {
		return err
	}
	list := each.Of(slices.Sorted(maps.Keys(params)), func(k string) string { return k + " " + params[k] })
	for _, e := range es {
		e.Text += " (with " + strings.Join(list, ", ") + ")"
	}
	return es
}
