package experiment

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/slackline/slackline/internal/studies/report"
)

// Schema names the form of the result. Fields may be added to it, never renamed.
const Schema = "slackline/reproduce/v1"

// Report is what came of an experiment.
type Report struct {
	Schema     string   `json:"schema"`
	Experiment string   `json:"experiment"`
	Claims     []Result `json:"claims"`

	e         *Experiment
	published map[string]Published
	seeds     []uint64
	results   *Results
	variants  []variant
	again     [][]Result // of each variant, the claims that it touches; else zero
}

// Result is what came of a claim.
type Result struct {
	Claim     string      `json:"claim"`
	Source    string      `json:"source"`
	Kind      Kind        `json:"kind"`
	Published *float64    `json:"published"` // null: the paper's text has no number
	Ours      *float64    `json:"ours"`      // null: our runs have none
	CI95      *[2]float64 `json:"ci95"`
	Holds     bool        `json:"holds"`
	Note      string      `json:"note"`
	unit      *Metric
	open      bool // it does not hold, and the seeds do not tell that it is wrong
}

// judge judges all claims, as the files say and again with each other assumption.
func (p *Plan) judge() (*Report, error) {
	r := &Report{Schema: Schema, Experiment: p.e.Name, e: p.e, published: p.published, seeds: p.seeds, results: p.main, variants: p.variants}
	for i := range p.e.Claims {
		c := &p.e.Claims[i]
		said, ok := p.published[c.Key]
		if !ok {
			return nil, fmt.Errorf("%s: published.json has no %q", p.e.Name, c.Key)
		}
		r.Claims = append(r.Claims, c.result(said, p.main))
	}
	r.again = make([][]Result, len(p.variants))
	for k, v := range p.variants {
		r.again[k] = make([]Result, len(r.Claims))
		for i := range p.e.Claims {
			if c := &p.e.Claims[i]; v.files[c.File] {
				r.again[k][i] = c.result(p.published[c.Key], v.results)
			}
		}
	}
	for i := range r.Claims {
		if note := r.sensitivity(i); note != "" {
			r.Claims[i].Note = join(r.Claims[i].Note, note)
		}
	}
	return r, nil
}

func join(a, b string) string {
	if a == "" {
		return b
	}
	return a + "; " + b
}

func (c *Claim) result(said Published, from *Results) Result {
	v := c.judge(from, said)
	res := Result{Claim: c.Text, Source: said.Source, Kind: c.Kind, Published: said.Value, Holds: v.holds, Note: v.note, unit: v.unit, open: v.open}
	if !math.IsNaN(v.ours) {
		res.Ours, res.CI95 = &v.ours, &v.ci
	}
	return res
}

// sensitivity says in how many variants a claim comes out the same.
func (r *Report) sensitivity(claim int) string {
	var differs, open []string
	of := 0
	for k, v := range r.variants {
		switch a := &r.again[k][claim]; {
		case a.Source == "":
			continue
		case a.open && !r.Claims[claim].open:
			open = append(open, v.name(r.e))
		case a.verdict() != r.Claims[claim].verdict():
			differs = append(differs, v.name(r.e))
		}
		of++
	}
	if of == 0 {
		return ""
	}
	note := fmt.Sprintf("the same with %d of %d other assumptions", of-len(differs)-len(open), of)
	if len(differs) > 0 {
		note = join(note, "otherwise with "+strings.Join(differs, ", "))
	}
	if len(open) > 0 {
		note = join(note, "the seeds do not tell with "+strings.Join(open, ", "))
	}
	return note
}

// name is the assumption and its value.
func (v *variant) name(e *Experiment) string {
	key := e.Assumptions[v.assumption].Key
	return key[strings.LastIndexByte(key, '.')+1:] + " " + v.value
}

// Held is the number of claims that hold.
func (r *Report) Held() (n int) {
	for _, c := range r.Claims {
		if c.Holds {
			n++
		}
	}
	return n
}

// WriteJSON writes the report as one JSON object.
func (r *Report) WriteJSON(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(r)
}

// show prints a number of a claim as people read it.
func (c *Result) show(x *float64) string {
	switch {
	case x == nil:
		return "–"
	case c.unit == nil:
		return fmt.Sprintf("%g", *x)
	}
	return c.unit.format(*x)
}

// interval prints the confidence interval.
func (c *Result) interval() string {
	if c.CI95 == nil {
		return "–"
	}
	return c.show(&c.CI95[0]) + " to " + c.show(&c.CI95[1])
}

// verdict in words.
func (c *Result) verdict() string {
	switch {
	case c.Holds:
		return "holds"
	case c.open:
		return "seeds do not tell"
	}
	return "does NOT hold"
}

// seedsInWords says how many there were.
func (r *Report) seedsInWords() string {
	if len(r.seeds) == 1 {
		return "one seed, so no interval"
	}
	return fmt.Sprintf("%d seeds", len(r.seeds))
}

// WriteTable prints the tables of the experiment, and published beside ours with a verdict for each claim.
func (r *Report) WriteTable(w io.Writer) error {
	for i := range r.e.Tables {
		if err := r.table(&r.e.Tables[i]).Write(w); err != nil {
			return err
		}
		if _, err := fmt.Fprintln(w); err != nil {
			return err
		}
	}
	g := &report.Grid{Title: fmt.Sprintf("%s, %s: %d of %d claims hold (%s)", r.e.Name, r.e.Paper, r.Held(), len(r.Claims), r.seedsInWords())}
	g.Add("source", "claim", ">published", ">ours", ">95 % interval", "verdict")
	for i := range r.Claims {
		c := &r.Claims[i]
		g.Add(c.Source, c.Claim, c.show(c.Published), c.show(c.Ours), c.interval(), c.verdict())
	}
	if err := g.Write(w); err != nil {
		return err
	}
	for i := range r.Claims {
		if c := &r.Claims[i]; c.Note != "" {
			if _, err := fmt.Fprintf(w, "\n%s, %s: %s", cmp.Or(c.Source, "?"), c.Claim, c.Note); err != nil {
				return err
			}
		}
	}
	_, err := fmt.Fprintln(w)
	return err
}

// table is a table as text.
func (r *Report) table(t *Table) *report.Grid {
	g := &report.Grid{Title: t.Title}
	for _, row := range r.rows(t) {
		g.Add(row...)
	}
	return g
}

// rows fills a table with means and half the width of their intervals; the first row is the heading.
func (r *Report) rows(t *Table) [][]string {
	head := []string{""}
	for _, m := range t.Metrics {
		head = append(head, ">"+m.Name)
	}
	rows := [][]string{head}
	for _, row := range t.Rows {
		cells := []string{row.Name}
		for _, m := range t.Metrics {
			x, ci := mean(r.results.Sample(row.Series, m))
			cell := m.format(x)
			if half := ci[1] - x; half > 0 {
				cell += " ± " + strings.TrimSuffix(m.format(half), " "+m.Unit)
			}
			cells = append(cells, cell)
		}
		rows = append(rows, cells)
	}
	return rows
}
