package experiment

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/slackline/slackline/experiments"
	"github.com/slackline/slackline/internal/maths/spelling"
	"github.com/slackline/slackline/internal/studies/weather"
)

// Experiment is a published evaluation: what the paper claims, and what shows it.
type Experiment struct {
	Name   string // of its folder
	Paper  string
	About  string  // in a few words
	Took   string  // run time on two cores
	Margin float64 // how far a number may be off and is yet the published one; see Result.Distance

	Claims      []Claim
	Figures     []Figure
	Tables      []Table
	Assumptions []Assumption
	Calibration *Calibration // nil = none

	folders fs.FS               // with its own, and those beside
	files   []string            // scenario files, of its folder or of one beside: ../000-penalty/up.yaml
	plays   map[string][]string // policies that they are played by
	judged  map[string][]string // those of them that claims are about

	weather *weather.Series // measured, in place of what would be made up; nil = none
}

// Under has it computed by weather that was measured, where it makes up its own.
func (e *Experiment) Under(s *weather.Series) { e.weather = s.KnownDays() }

// Table is metrics of several series.
type Table struct {
	Title   string
	Rows    []Row
	Metrics []Metric
}

// evaluations are the experiments that are part of the program, by name. Each is a file of its own.
var evaluations = []func() *Experiment{
	bounds000, capacity000, completion000, fastpath000, green000, horizon000, model000, motivation000,
	overhead000, penalty000, priority000, tasksize000, atp001, flow001, sweep001, workflows001, demand002, deadlines002, elastic002, efh003, matchmaking003, promise003, rtmr003, slack003, worth003,
	boundsThree004, boundsTwo004, concurrency004, deadlines004, scalability004, sharing004,
}

// All are these experiments.
func All() ([]*Experiment, error) {
	var all []*Experiment
	for _, evaluation := range evaluations {
		e := evaluation()
		e.folders = experiments.Files
		if err := e.assume(); err != nil {
			return nil, err
		}
		all = append(all, e)
	}
	return all, nil
}

// Find returns an experiment by its name.
func Find(name string) (*Experiment, error) {
	all, err := All()
	if err != nil {
		return nil, err
	}
	at, hint := spelling.Find(name, all, func(e *Experiment) string { return e.Name })
	if strings.ContainsAny(name, `/\`) {
		hint = "; experiments are part of Slackline: slackline compare plays scenarios of your own"
	}
	if at < 0 {
		return nil, fmt.Errorf("there is no experiment %q%s (slackline reproduce lists them)", name, hint)
	}
	return all[at], nil
}

// claim adds a claim of the paper: its key in published.json, a sentence, and what shows whether it holds.
func (e *Experiment) claim(key, text string, shown Check) *Claim {
	e.note(true, shown.of)
	e.Claims = append(e.Claims, Claim{Key: key, Text: text, Check: shown, Margin: e.Margin})
	return &e.Claims[len(e.Claims)-1]
}

// ours adds a claim of our own, which nothing was published of.
func (e *Experiment) ours(text string, shown Check) *Claim { return e.claim("", text, shown) }

// table adds metrics of several series.
func (e *Experiment) table(title string, metrics []Metric, of ...some) {
	t := Table{title, list(of), metrics}
	e.note(false, t.Rows)
	e.Tables = append(e.Tables, t)
}

// figure adds lines over one axis.
func (e *Experiment) figure(f Figure, lines ...Line) {
	for _, l := range lines {
		for _, p := range l.At {
			e.note(false, Rows{{Series: p.Series}})
			if !slices.Contains(f.Ticks, p.Tick) {
				f.Ticks = append(f.Ticks, p.Tick)
			}
		}
	}
	f.Lines = lines
	e.Figures = append(e.Figures, f)
}

// note notes by which policies files are played, and whether claims are about them.
func (e *Experiment) note(judged bool, rows []Row) {
	if e.plays == nil {
		e.plays, e.judged = map[string][]string{}, map[string][]string{}
	}
	add := func(to map[string][]string, file, policy string) {
		if policy != "" && !slices.Contains(to[file], policy) {
			to[file] = append(to[file], policy)
		}
	}
	for _, r := range rows {
		if !slices.Contains(e.files, r.File) {
			e.files = append(e.files, r.File)
		}
		for _, policy := range []string{r.Policy, r.Over} {
			add(e.plays, r.File, policy)
			if judged {
				add(e.judged, r.File, policy)
			}
		}
	}
}

// place is that of a file of its folder, for errors.
func (e *Experiment) place(file string) string { return path.Join("experiments", e.Name, file) }

// read returns a file of the experiment's folder.
func (e *Experiment) read(name string) ([]byte, error) {
	return fs.ReadFile(e.folders, path.Join(e.Name, name))
}

// Readme is the text of its README, "" if it has none.
func (e *Experiment) Readme() (string, error) {
	text, err := e.read("README.md")
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return string(text), err
}
