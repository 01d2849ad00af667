package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/csv"
	"encoding/hex"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/spf13/pflag"

	"github.com/slackline/slackline/internal/files"
	"github.com/slackline/slackline/internal/kernel/follow"
	"github.com/slackline/slackline/internal/studies/account"
	"github.com/slackline/slackline/internal/studies/lab"
	"github.com/slackline/slackline/internal/studies/report"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// export is what --export asks for: the runs as a folder of tables. A nil one does nothing.
type export struct {
	manifest manifest
	watched  []*exportSink
	out      []*files.File
}

// exportFiles are the files of the folder, the manifest last.
var exportFiles = []string{"runs.csv", "jobs.csv", "nodes.csv", "attempts.csv", "series.csv", "comparisons.csv", "figure.svg", "manifest.json"}

// manifest says what the files of the folder are of.
type manifest struct {
	Schema    string         `json:"schema"`
	Version   string         `json:"version"`
	Scenarios []exportedFile `json:"scenarios"`
	Policies  []string       `json:"policies"`
	Seeds     []uint64       `json:"seeds"`
	Files     []exportedFile `json:"files"`
}

// exportedFile is a file and its sum.
type exportedFile struct {
	Name string `json:"name"`
	Sum  string `json:"sha256"`
}

func sumOf(name string, text []byte) exportedFile {
	sum := sha256.Sum256(text)
	return exportedFile{name, hex.EncodeToString(sum[:])}
}

// exportSink is the sink of one run for the tables of its attempts, and of how many run at a time.
type exportSink struct {
	follow.Single
	attempts, series [][]string
	running          [sched.Stages]int
	jobs             int
	at               units.Time
}

// Batch notes the attempts that ended, and how many run from now on.
func (x *exportSink) Batch(_ units.Time, records []follow.Record) error {
	for i := range records {
		e := &records[i]
		if e.At > x.at {
			x.note()
			x.at = e.At
		}
		switch {
		case e.Again:
		case e.Kind == sched.JobArrived && e.Job != nil:
			x.jobs++
		case e.Kind == sched.JobEnded && e.Job != nil:
			x.jobs--
		case e.Kind == sched.Started && e.Attempt != nil:
			x.running[e.Attempt.Stage]++
		case e.Kind == sched.Ended && e.Attempt != nil:
			a, node := e.Attempt, ""
			if x.running[a.Stage]--; a.On != nil {
				node = a.On.Name
			}
			x.attempts = append(x.attempts, []string{a.Job.Spec.ID, a.Stage.String(), strconv.Itoa(int(a.Task)), node, a.Locality.String(),
				second(a.Began), second(e.At), e.Outcome.String()})
		}
	}
	return nil
}

func second(t units.Time) string { return strconv.FormatFloat(t.Seconds(), 'f', -1, 64) }

// note adds a row to the series, if anything has changed.
func (x *exportSink) note() {
	now := []string{second(x.at), strconv.Itoa(x.jobs), strconv.Itoa(x.running[sched.Map]), strconv.Itoa(x.running[sched.Reduce])}
	if n := len(x.series); n == 0 || !slices.Equal(x.series[n-1][1:], now[1:]) {
		x.series = append(x.series, now)
	}
}

func (o *options) bindExport(f *pflag.FlagSet) {
	bindFile(f, &o.export, "export", "write the runs to this folder: runs, jobs, nodes, attempts, series and comparisons as CSV, a figure, and a manifest with their sums")
}

// beginExport begins the files of the folder, and watches the runs.
func (o *options) beginExport(cells []lab.Cell) error {
	if o.export == "" {
		return nil
	}
	if err := files.MakeFolder(o.export); err != nil {
		return fmt.Errorf("--export: the folder cannot be made: %w", err)
	}
	x := &export{manifest: manifest{Schema: "slackline/export/v1", Version: version()}}
	for _, name := range exportFiles {
		file, err := files.Create(filepath.Join(o.export, name), files.Kind{What: "table"})
		if err != nil {
			x.discard()
			return fmt.Errorf("--export: %w", err)
		}
		x.out = append(x.out, file)
	}
	m := &x.manifest
	for i := range cells {
		c, w := &cells[i], new(exportSink)
		x.watched, c.Sinks = append(x.watched, w), append(c.Sinks, w)
		if c.Books == nil {
			c.Books = account.New(account.Enough)
		}
		if from := c.Source; from != nil && !slices.ContainsFunc(m.Scenarios, func(f exportedFile) bool { return f.Name == from.File }) {
			m.Scenarios = append(m.Scenarios, sumOf(from.File, []byte(from.Text)))
		}
		if !slices.Contains(m.Policies, c.Policy) {
			m.Policies = append(m.Policies, c.Policy)
		}
		if !slices.Contains(m.Seeds, c.Seed) {
			m.Seeds = append(m.Seeds, c.Seed)
		}
	}
	o.exporting = x
	return nil
}

// commit writes the files, once all runs have ended.
func (x *export) commit(r *report.Report) error {
	if x == nil {
		return nil
	}
	defer x.discard()
	attempts, series := make([][][]string, len(x.watched)), make([][][]string, len(x.watched))
	for i, w := range x.watched {
		w.note()
		attempts[i], series[i] = w.attempts, w.series
	}
	for i, file := range x.out {
		var text bytes.Buffer
		var err error
		switch name := exportFiles[i]; name {
		case "runs.csv":
			err = r.WriteCSV(&text)
		case "jobs.csv":
			err = r.WriteJobs(&text)
		case "nodes.csv":
			err = r.WriteNodes(&text)
		case "attempts.csv":
			err = csv.NewWriter(&text).WriteAll(r.Beside([]string{"job", "stage", "task", "node", "locality", "began_s", "ended_s", "outcome"}, attempts))
		case "series.csv":
			err = csv.NewWriter(&text).WriteAll(r.Beside([]string{"at_s", "jobs", "map_attempts", "reduce_attempts"}, series))
		case "comparisons.csv":
			err = r.WriteComparisons(&text)
		case "figure.svg":
			text.WriteString(r.Figure().File())
		default:
			err = report.WriteJSON(&text, &x.manifest)
		}
		if err == nil {
			x.manifest.Files = append(x.manifest.Files, sumOf(exportFiles[i], text.Bytes()))
			if _, err = file.Write(text.Bytes()); err == nil {
				err = file.Commit()
			}
		}
		if err != nil {
			return fmt.Errorf("--export: %w", err)
		}
	}
	return nil
}

// discard leaves nothing of what is not in its place yet.
func (x *export) discard() {
	if x == nil {
		return
	}
	for _, file := range x.out {
		file.Discard()
	}
}
