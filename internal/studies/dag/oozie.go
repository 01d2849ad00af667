package dag

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// oozieApp is workflow.xml, of any version of its schema.
type oozieApp struct {
	XMLName   xml.Name        `xml:"workflow-app"`
	Name      string          `xml:"name,attr"`
	Start     oozieTo         `xml:"start"`
	Actions   []oozieAction   `xml:"action"`
	Forks     []oozieFork     `xml:"fork"`
	Joins     []oozieJoin     `xml:"join"`
	Decisions []oozieDecision `xml:"decision"`
	Ends      []oozieName     `xml:"end"`
	Kills     []oozieName     `xml:"kill"`
}

type oozieTo struct {
	To string `xml:"to,attr"`
}

type oozieName struct {
	Name string `xml:"name,attr"`
}

type oozieAction struct {
	Name string  `xml:"name,attr"`
	OK   oozieTo `xml:"ok"`
	MR   *struct {
		Properties []struct {
			Name  string `xml:"name"`
			Value string `xml:"value"`
		} `xml:"configuration>property"`
	} `xml:"map-reduce"`
}

type oozieFork struct {
	Name  string `xml:"name,attr"`
	Paths []struct {
		Start string `xml:"start,attr"`
	} `xml:"path"`
}

type oozieJoin struct {
	Name string `xml:"name,attr"`
	To   string `xml:"to,attr"`
}

type oozieDecision struct {
	Name    string    `xml:"name,attr"`
	Cases   []oozieTo `xml:"switch>case"`
	Default oozieTo   `xml:"switch>default"`
}

// Oozie reads a workflow. An action is a job; what an action does besides map-reduce is one map. Of a decision the
// default is taken, and if it has none the first case. Roads that only errors take are left out, and so is what they
// lead to. The file does not say how long anything takes.
func Oozie(src []byte) (*Workflow, error) {
	var app oozieApp
	d := xml.NewDecoder(bytes.NewReader(src))
	if err := d.Decode(&app); err != nil {
		if syntax, is := errors.AsType[*xml.SyntaxError](err); is {
			return nil, fmt.Errorf("line %d: %s", syntax.Line, syntax.Msg)
		}
		return nil, fmt.Errorf("it is no workflow.xml of Oozie: %w", err)
	}
	next, actions := make(map[string][]string), make(map[string]*oozieAction)
	var twice string
	lead := func(from string, to ...string) {
		if _, there := next[from]; there || from == "" {
			twice = from
		}
		next[from] = to
	}
	for i := range app.Actions {
		a := &app.Actions[i]
		actions[a.Name] = a
		lead(a.Name, a.OK.To)
	}
	for _, f := range app.Forks {
		var to []string
		for _, p := range f.Paths {
			to = append(to, p.Start)
		}
		lead(f.Name, to...)
	}
	for _, j := range app.Joins {
		lead(j.Name, j.To)
	}
	for _, c := range app.Decisions {
		to := c.Default.To
		if to == "" && len(c.Cases) > 0 {
			to = c.Cases[0].To
		}
		lead(c.Name, to)
	}
	for _, e := range slices.Concat(app.Ends, app.Kills) {
		lead(e.Name)
	}
	if len(next) != len(app.Actions)+len(app.Forks)+len(app.Joins)+len(app.Decisions)+len(app.Ends)+len(app.Kills) || twice != "" {
		return nil, fmt.Errorf("two nodes are called %q, or one has no name; transitions go by name", twice)
	}
	w := &Workflow{Name: app.Name}
	if w.Name == "" {
		w.Name = "workflow"
	}
	place := make(map[string]int)
	// From node to node, with the actions that are over by then. A road through no action that comes back to itself is
	// found by how long it is, and one of forks alone by how many there are.
	steps := 0
	var walk func(from string, after []string, depth int, asked string) error
	walk = func(at string, after []string, depth int, asked string) error {
		to, there := next[at]
		switch steps++; {
		case steps > 10*MostJobs:
			return errors.New("its forks and joins are more than can be followed")
		case !there:
			return fmt.Errorf("%q leads to %q, and there is no such node", asked, at)
		case depth > len(next):
			return fmt.Errorf("the workflow leads from %q back to it", at)
		}
		if a := actions[at]; a != nil {
			k, seen := place[at]
			if !seen {
				k = len(w.Jobs)
				place[at], w.Jobs = k, append(w.Jobs, a.job())
			}
			for _, p := range after {
				if !slices.Contains(w.Jobs[k].After, p) {
					w.Jobs[k].After = append(w.Jobs[k].After, p)
				}
			}
			if seen { // then so is all that follows, as it waits for this action alone
				return nil
			}
			after, depth = []string{at}, 0
		}
		for _, n := range to {
			if err := walk(n, after, depth+1, at); err != nil {
				return err
			}
		}
		return nil
	}
	if err := walk(app.Start.To, nil, 0, "start"); err != nil {
		return nil, err
	}
	return w, w.check()
}

// job is an action as a job: as many maps and reduces as its properties say.
func (a *oozieAction) job() Job {
	j := Job{ID: a.Name, Maps: 1}
	if a.MR == nil {
		return j
	}
	for _, p := range a.MR.Properties {
		n, err := strconv.Atoi(strings.TrimSpace(p.Value))
		if err != nil || n < 0 || n > MostJobs { // such as ${reduces}, which only a run knows
			continue
		}
		switch strings.TrimSpace(p.Name) {
		case "mapreduce.job.maps", "mapred.map.tasks":
			j.Maps = max(1, n)
		case "mapreduce.job.reduces", "mapred.reduce.tasks":
			j.Reduces = n
		}
	}
	return j
}
