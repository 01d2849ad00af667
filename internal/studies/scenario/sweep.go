package scenario

import (
	"fmt"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"

	"github.com/slackline/slackline/internal/maths/spelling"
)

// Sweep is values for some keys of the scenario, each of which is to be played with each other.
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

func (s *Sweep) read(d *decoder, n ast.Node, path string) {
	total := 1
	d.pairs(n, path, func(key string, at Pos, val ast.Node) {
		a := axis{path: key, at: at}
		switch word, _, _ := strings.Cut(key, "."); word {
		case "policies", "seeds", "sweep", "name":
			d.errorAt(at, "%s cannot be swept; policies and seeds are lists of their own", key)
			return
		}
		list, ok := val.(*ast.SequenceNode)
		if !ok || len(list.Values) == 0 {
			d.errorAt(at, "%s has no list of values; write one, such as [10, 20, 40]", key)
			return
		}
		for _, v := range list.Values {
			text := oneLine(v.String())
			if slices.Contains(a.texts, text) {
				d.failf(v, "the value %s stands here a second time", text)
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

// ReadSweep reads a scenario file as all the scenarios that its sweep makes of it, the last key varying fastest; without a sweep it is
// one. The error, if any, is an Errors.
func ReadSweep(file string, src []byte, to Resize) ([]*Scenario, error) {
	base, err := ReadResized(file, src, to)
	if err != nil || len(base.Sweep.axes) == 0 {
		return []*Scenario{base}, err
	}
	axes := base.Sweep.axes
	var all []*Scenario
	at := make([]int, len(axes))
	for {
		over, params := map[string]ast.Node{}, map[string]string{}
		for i, a := range axes {
			over[a.path], params[a.path] = a.values[at[i]], a.texts[at[i]]
		}
		s, err := read(file, src, to, maxTasks, over)
		if err != nil {
			return nil, variantError(err, params)
		}
		for _, a := range axes {
			if !s.src.met[a.path] {
				return nil, Errors{{File: file, Pos: a.at, Text: fmt.Sprintf("there is no key %q to sweep%s", a.path, spelling.Hint(a.path, s.src.names))}}
			}
		}
		s.Params = params
		all = append(all, s)
		i := len(axes) - 1
		for ; i >= 0; i-- {
			if at[i]++; at[i] < len(axes[i].values) {
				break
			}
			at[i] = 0
		}
		if i < 0 {
			return all, nil
		}
	}
}

// variantError says with which values of the sweep the file is wrong.
func variantError(err error, params map[string]string) error {
	es, ok := err.(Errors)
	if !ok {
		return err
	}
	var with []string
	for k, v := range params {
		with = append(with, k+" "+v)
	}
	slices.Sort(with)
	for _, e := range es {
		e.Text += " (with " + strings.Join(with, ", ") + ")"
	}
	return es
}
