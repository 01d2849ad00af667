package experiment

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"strings"

	"github.com/slackline/slackline/experiments"
	"github.com/slackline/slackline/internal/config"
	"github.com/slackline/slackline/internal/files"
	"github.com/slackline/slackline/internal/maths/spelling"
	"github.com/slackline/slackline/internal/studies/weather"
)

// Experiment is a published evaluation.
type Experiment struct {
	Name  string // of its folder
	Paper string
	About string // in a few words
	Took  string // run time on two cores

	folders fs.FS  // with its own, and those beside
	folder  string // its own
	place   string // the same, for errors and files beside

	Files       []string            // scenario files, of its folder or of one beside: ../000-penalty/up.yaml
	plays       map[string][]string // policies that they are played by
	judged      map[string][]string // those of them that claims are about
	Claims      []Claim
	Figures     []Figure
	Tables      []Table
	Assumptions []Assumption
	Calibration *Calibration // nil = none

	weather *weather.Series // measured, in place of what would be made up; nil = none
}

// Under has it computed by weather that was measured, where it makes up its own.
func (e *Experiment) Under(s *weather.Series) { e.weather = s.KnownDays() }

// Series is what one policy does in one scenario file, over the seeds; if it is compared Over another one, by
// what part its metrics are less than that one's.
type Series struct{ File, Policy, Over string }

// Assumption is something that the paper does not say. The claims are judged again with each of the other values.
type Assumption struct {
	What   string       `json:"what" need:"yes" doc:"in words, with its reason"`
	File   string       `json:"file" doc:"scenario file that it is in; all of them if left out"`
	Key    string       `json:"key" need:"yes" doc:"of the scenario, or policy.NAME.PARAMETER"`
	Value  string       `json:"value" need:"yes" doc:"in the scenario file"`
	Others config.Texts `json:"others" need:"yes" some:"yes" doc:"values to judge the claims by in its place"`
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
	Value float64 // of the parameter, in a series of several
	Unit  string  // the parameter's
}

// All are the experiments that are part of the program, by name.
func All() ([]*Experiment, error) {
	folders, err := experiments.Files.ReadDir(".")
	if err != nil {
		return nil, err
	}
	var all []*Experiment
	for _, f := range folders {
		e, err := read(experiments.Files, f.Name(), f.Name(), path.Join("experiments", f.Name()))
		if err != nil {
			return nil, err
		}
		all = append(all, e)
	}
	return all, nil
}

// Find returns an experiment by its name, or that in a folder, if there is a path separator in the name.
func Find(name string) (*Experiment, error) {
	if strings.ContainsAny(name, `/\`) {
		whole, err := filepath.Abs(name)
		if err != nil {
			return nil, err
		}
		return read(files.Folder(filepath.Dir(whole)), filepath.Base(whole), filepath.Base(whole), filepath.ToSlash(filepath.Clean(name)))
	}
	all, err := All()
	if err != nil {
		return nil, err
	}
	at, hint := spelling.Find(name, all, func(e *Experiment) string { return e.Name })
	if at < 0 {
		return nil, fmt.Errorf("there is no experiment %q%s (slackline reproduce lists them; ./%s is a folder)", name, hint, name)
	}
	return all[at], nil
}

// read returns a file of the experiment's folder.
func (e *Experiment) read(name string) ([]byte, error) {
	return fs.ReadFile(e.folders, path.Join(e.folder, name))
}

// Readme is the text of its README, "" if it has none.
func (e *Experiment) Readme() (string, error) {
	text, err := e.read("README.md")
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return string(text), err
}
