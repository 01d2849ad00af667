package dag

import (
	"bytes"
	"cmp"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

// oozieApp is workflow.xml, of any version of its schema.
type oozieApp struct {
	XMLName   xml.Name    `xml:"workflow-app"`
	Name      string      `xml:"name,attr"`
	Start     oozieTo     `xml:"start"`
	Actions   []oozieNode `xml:"action"`
	Forks     []oozieNode `xml:"fork"`
	Joins     []oozieNode `xml:"join"`
	Decisions []oozieNode `xml:"decision"`
	Ends      []oozieNode `xml:"end"`
	Kills     []oozieNode `xml:"kill"`
}

type oozieTo struct {
	To string `xml:"to,attr"`
}

// oozieNode is a node of any kind, each of which has its own way to say where it leads.
type oozieNode struct {
	Name  string  `xml:"name,attr"`
	OK    oozieTo `xml:"ok"`
	Paths []struct {
		Start string `xml:"start,attr"`
	} `xml:"path"`
	oozieTo
	Default oozieTo   `xml:"switch>default"`
	Cases   []oozieTo `xml:"switch>case"`
	MR      *struct {
		Properties []struct {
			Name  string `xml:"name"`
			Value string `xml:"value"`
		} `xml:"configuration>property"`
	} `xml:"map-reduce"`
}

// Oozie reads a workflow. An action is a job; what an action does besides map-reduce is one map. Of a decision the
// default is taken, and if it has none the first case. Roads that only errors take are left out, and so is what they
// lead to. The file does not say how long anything takes.
func Oozie(src []byte) (*Workflow, error) {
	var app oozieApp
	d := xml.NewDecoder(bytes.NewReader(src))
	d.CharsetReader = latin
	if err := d.Decode(&app); err != nil {
		if syntax, is := errors.AsType[*xml.SyntaxError](err); is {
			return nil, fmt.Errorf("line %d: %s", syntax.Line, syntax.Msg)
		}
		return nil, fmt.Errorf("it is no workflow.xml of Oozie: %w", err)
	}
	next, actions := make(map[string][]string), make(map[string]*oozieNode)
	nodes := slices.Concat(app.Actions, app.Forks, app.Joins, app.Decisions, app.Ends, app.Kills)
	for i := range nodes {
		n := &nodes[i]
		if _, there := next[n.Name]; there || n.Name == "" {
			return nil, fmt.Errorf("two nodes are called %q, or one has no name; transitions go by name", n.Name)
		}
		var to []string
		for _, p := range n.Paths {
			to = append(to, p.Start)
		}
		if over := i >= len(nodes)-len(app.Ends)-len(app.Kills); !over && to == nil {
			to = []string{cmp.Or(n.OK.To, n.To, n.Default.To)}
			if to[0] == "" && len(n.Cases) > 0 {
				to[0] = n.Cases[0].To
			}
		}
		if next[n.Name] = to; i < len(app.Actions) {
			actions[n.Name] = n
		}
	}
	w := &Workflow{Name: cmp.Or(app.Name, "workflow")}
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
				j, err := a.job()
				if err != nil {
					return err
				}
				k = len(w.Jobs)
				place[at], w.Jobs = k, append(w.Jobs, j)
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

// latin reads the encodings other than UTF-8 that such files have: each byte of ISO-8859-1 is a character.
func latin(name string, in io.Reader) (io.Reader, error) {
	switch strings.ToLower(name) {
	case "us-ascii", "iso-8859-1", "latin1":
	default:
		return nil, fmt.Errorf("its encoding is %s, it can be UTF-8 or ISO-8859-1", name)
	}
	b, err := io.ReadAll(in)
	text := make([]rune, len(b))
	for i := range b {
		text[i] = rune(b[i])
	}
	return strings.NewReader(string(text)), err
}

// job is an action as a job: as many maps and reduces as its properties say. A number that only a run knows, such as
// ${maps}, is one map, or no reduce.
func (a *oozieNode) job() (j Job, err error) {
	if j = (Job{ID: a.Name, Maps: 1}); a.MR == nil {
		return j, nil
	}
	for _, p := range a.MR.Properties {
		of := map[string]*int{"mapreduce.job.maps": &j.Maps, "mapred.map.tasks": &j.Maps, "mapreduce.job.reduces": &j.Reduces, "mapred.reduce.tasks": &j.Reduces}[strings.TrimSpace(p.Name)]
		if of == nil || strings.Contains(p.Value, "${") {
			continue
		}
		if *of, err = strconv.Atoi(strings.TrimSpace(p.Value)); err != nil || *of < 0 || *of > MostJobs {
			return j, fmt.Errorf("the action %q has %s %q, it can be a number from 0 to %d", a.Name, strings.TrimSpace(p.Name), p.Value, MostJobs)
		}
	}
	j.Maps = max(1, j.Maps)
	return j, nil
}
