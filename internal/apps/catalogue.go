package apps

import (
	"fmt"
	"slices"

	"github.com/slackline/slackline/internal/maths/spelling"
	"github.com/slackline/slackline/mapreduce"
)

// App is an application in the catalogue. Its JSON is what slackline apps prints.
type App struct {
	Name   string  `json:"name"`
	Doc    string  `json:"doc"`    // one line
	Output string  `json:"output"` // one line: what a record of the output is
	Params []Param `json:"params"`

	// MapOnly tells that a job may have no reduces, as what the maps emit is a result too. Of
	// others it would not be what Doc says.
	MapOnly bool `json:"-"`

	sources func(settings, []Source) (columns []string, at int, err error) // as CheckSources; nil = any will do

	check func(settings) error // of values that their types do not tell right from wrong; nil = all are right
	build func(settings) mapreduce.Program
}

// catalogue lists all applications by name. It is read only.
var catalogue = []App{grep, index, join, loadgen, sortLines, teragen, terasort, teravalidate, topk, wordcount}

// All returns all applications in order of name.
func All() []App {
	all := slices.Clone(catalogue)
	for i := range all {
		all[i].Params = append([]Param{}, all[i].Params...) // an empty list, not none, in JSON
	}
	return all
}

// Find returns the application of that name, or an error that suggests the nearest one.
func Find(name string) (App, error) {
	at, hint := spelling.Find(name, catalogue, func(a App) string { return a.Name })
	if at < 0 {
		return App{}, fmt.Errorf("there is no application %q%s", name, hint)
	}
	return catalogue[at], nil
}

// New returns the program of an application with these parameters, or says in one sentence what is
// wrong with them.
func New(name string, params map[string]string) (*mapreduce.Program, error) {
	a, err := Find(name)
	if err != nil {
		return nil, err
	}
	return a.New(params)
}

// New returns the application's program with these parameters, or says in one sentence what is wrong with them.
func (a App) New(params map[string]string) (*mapreduce.Program, error) {
	set, err := a.settings(params)
	if err != nil {
		return nil, err
	}
	if a.check != nil {
		if err := a.check(set); err != nil {
			return nil, err
		}
	}
	p := a.build(set)
	p.Name = a.Name
	return &p, nil
}
