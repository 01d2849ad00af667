package experiment

import (
	"fmt"
	"path"

	"github.com/slackline/slackline/experiments"
	"github.com/slackline/slackline/internal/maths/spelling"
)

// Experiment is a published evaluation.
type Experiment struct {
	Name  string // of its folder
	Paper string
	About string // in a few words
	Took  string // run time on two cores

	Files       []string // scenario files of its folder
	Claims      []Claim
	Figures     []Figure
	Tables      []Table
	Assumptions []Assumption
}

// Series is what one policy does in one scenario file, over the seeds.
type Series struct{ File, Policy string }

// Assumption is something that the paper does not say. The claims are judged again with each of the other values.
type Assumption struct {
	What   string   // in words, with its reason
	File   string   // "" = all files
	Key    string   // of the scenario
	Value  string   // in the scenario file
	Others []string // in its place
}

// Table is metrics of several series.
type Table struct {
	Title   string
	Rows    []Row
	Metrics []Metric
}

// Row is a series with its name.
type Row struct {
	Name string
	Series
}

// All are the experiments, by name.
func All() []*Experiment { return []*Experiment{Matchmaking(), RTMR()} }

// Find returns an experiment by its name, or says in one sentence what is wrong with it.
func Find(name string) (*Experiment, error) {
	var names []string
	for _, e := range All() {
		if e.Name == name {
			return e, nil
		}
		names = append(names, e.Name)
	}
	return nil, fmt.Errorf("there is no experiment %q%s (slackline reproduce lists them)", name, spelling.Hint(name, names))
}

// read returns a file of the experiment's folder.
func (e *Experiment) read(name string) ([]byte, error) {
	return experiments.Files.ReadFile(path.Join(e.Name, name))
}

// Readme is the text of its README.
func (e *Experiment) Readme() (string, error) {
	text, err := e.read("README.md")
	return string(text), err
}
