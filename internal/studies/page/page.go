package page

import (
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"slices"
	"strings"
	"sync"

	"github.com/slackline/slackline/internal/files"
	"github.com/slackline/slackline/internal/kernel/follow"
	"github.com/slackline/slackline/internal/studies/account"
	"github.com/slackline/slackline/internal/studies/report"
)

//go:embed page.html
var frame string

//go:embed page.css
var style string

//go:embed js
var scripts embed.FS

// script is what the parts in js come to, in an order in which each finds what it needs.
var script = sync.OnceValue(func() string {
	var b strings.Builder
	b.WriteString("'use strict';\n(() => {\n")
	for _, name := range []string{"read", "words", "sheet", "slots", "strips", "over", "move", "curves", "jobs", "differ", "main"} {
		text, err := scripts.ReadFile("js/" + name + ".js")
		if err != nil {
			panic(err) // it is part of the program
		}
		b.Write(text)
	}
	b.WriteString("})();\n")
	return b.String()
})

// firstLine begins every page, which is how one is known again.
const firstLine = "<!doctype html><!-- slackline page -->"

// File is the file for a page.
var File = files.Kind{What: "page", Begins: firstLine}

// How much there is in a page at most.
const (
	MaxBytes = 8 << 20
	MaxBars  = 100_000 // of all runs
	MaxRuns  = 300

	mostDrawn  = 24      // runs with bars
	mostPoints = 2000    // of a series
	allPoints  = 20_000  // of a series, of all runs
	allJobs    = 150_000 // listed, of all runs; fewer if the page gets too long
)

// Head says which run it is that will be watched.
type Head struct {
	Scenario string // with the values of its sweep
	Policy   string
	Seed     uint64
	Books    *account.Accountant // its accounts; nil: nobody keeps them
	Queue    func(string) string // what a queue is promised, and bound to; nil: there are none
}

// Page collects runs and writes them as one file.
type Page struct{ runs []*collector }

// New returns an empty page for these runs, in the order of the report. With many runs each gets
// less room; those of the first seeds are the ones whose slots are drawn.
func New(heads []Head) *Page {
	type row struct{ scenario, policy string }
	seeds := map[row]int{}
	rank := make([]int, len(heads)) // how many seeds of the same scenario and policy come before
	order := make([]int, len(heads))
	for i, h := range heads {
		g := row{h.Scenario, h.Policy}
		order[i], rank[i] = i, seeds[g]
		seeds[g]++
	}
	slices.SortStableFunc(order, func(a, b int) int { return rank[a] - rank[b] })
	p := &Page{runs: make([]*collector, min(len(heads), MaxRuns))}
	if len(heads) == 0 {
		return p
	}
	drawn := min(len(p.runs), mostDrawn)
	points := max(60, min(mostPoints, allPoints/len(p.runs)))
	for _, i := range order {
		if i >= len(p.runs) {
			continue
		}
		bars := 0
		if drawn > 0 {
			drawn--
			bars = MaxBars / min(len(p.runs), mostDrawn)
		}
		p.runs[i] = newCollector(bars, points)
		p.runs[i].books, p.runs[i].says = heads[i].Books, heads[i].Queue
	}
	return p
}

// Watch returns the sinks for a run, by its position; none if there is no room for it.
func (p *Page) Watch(i int) []follow.Sink {
	if i >= len(p.runs) {
		return nil
	}
	return []follow.Sink{p.runs[i]}
}

// Write writes the page of a report, whose first runs are those that were watched. It is at most
// MaxBytes long: where it would be longer, fewer jobs are listed.
func (p *Page) Write(w io.Writer, r *report.Report) error {
	for _, c := range p.runs {
		c.close()
	}
	runs := r.Runs[:min(len(r.Runs), MaxRuns)]
	figure := ""
	if r.Swept() {
		figure = r.Figure().SVG()
	}
	for jobs := allJobs; ; jobs /= 2 {
		d := newData(runs, p.runs[:min(len(runs), len(p.runs))], jobs/max(1, len(runs)))
		d.Omitted = len(r.Runs) - len(runs)
		d.Compared, d.Each = comparedOf(r)
		block, err := json.Marshal(d)
		if err != nil {
			return err
		}
		if len(block)+len(frame)+len(style)+len(script())+len(figure)+4096 > MaxBytes {
			if jobs > 0 {
				continue
			}
			return fmt.Errorf("the page would have more than %d bytes", MaxBytes)
		}
		_, err = io.WriteString(w, assemble(title(runs), string(block), figure))
		return err
	}
}

func title(runs []*report.Run) string {
	var names []string
	for _, run := range runs {
		if name := clip(run.Scenario); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return "Slackline: " + clip(strings.Join(names, ", "))
}

// assemble puts the parts together. The block is JSON as encoding/json writes it, without <, > and
// &, so it cannot end its element.
func assemble(title, block, figure string) string {
	policy := "default-src 'none'; img-src data:; style-src '" + hash(unix(style)) + "'; script-src '" + hash(unix(script())) + "'"
	return strings.NewReplacer(
		"{{policy}}", policy,
		"{{title}}", html.EscapeString(title),
		"{{style}}", unix(style),
		"{{data}}", block,
		"{{figure}}", figure,
		"{{script}}", unix(script()),
	).Replace(frame)
}

// hash names a text as a Content-Security-Policy does.
func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}

// unix ends lines as a browser reads them, so that a sum over the text is the browser's wherever this was built.
func unix(text string) string { return strings.ReplaceAll(text, "\r\n", "\n") }
