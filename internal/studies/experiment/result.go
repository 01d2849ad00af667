package experiment

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
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
	base      []Result   // the claims with the seeds that variants have
	again     [][]Result // of each variant, the claims that it touches; else zero
}

// Result is what came of a claim.
type Result struct {
	Claim     string   `json:"claim"`
	Source    string   `json:"source"`
	Kind      Kind     `json:"kind"`
	Published *float64 `json:"published"` // null: the paper's text has no number
	Ours      *float64 `json:"ours"`      // null: our runs have none
	// of the mean; both are ours if there is one seed; null: there is none
	CI95 *[2]float64 `json:"ci95"`
	// "against …", "from … to …": of that comparison, which decides; "mean", "tests decide": it
	// does not decide; left out: it is that of ours, and decides
	CI95Of string `json:"ci95_of,omitempty"`
	// where 95 % of single runs of ours lie, if that decides and not the interval of the mean
	Single  *[2]float64 `json:"single_runs95,omitempty"`
	Verdict string      `json:"verdict"` // "holds", "differs", "does NOT hold", "undecided"
	Holds   bool        `json:"holds"`
	Note    string      `json:"note"` // begins with "undecided" if it does not hold and may yet be right
	unit    *Metric
	words   [2]string
	few     bool
}

// judge judges all claims, as the files say and again with each other assumption.
func (p *Plan) judge() (*Report, error) {
	few := p.main.first(fewSeeds)
	r := &Report{Schema: Schema, Experiment: p.e.Name, e: p.e, published: p.published, seeds: p.seeds, results: p.main, variants: p.variants}
	for i := range p.e.Claims {
		c := &p.e.Claims[i]
		said, ok := p.published[c.Key]
		if !ok {
			return nil, fmt.Errorf("%s: published.json has no %q", p.e.Name, c.Key)
		}
		r.Claims = append(r.Claims, c.result(said, p.main))
		r.base = append(r.base, c.result(said, few))
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
	if a == "" || b == "" {
		return a + b
	}
	return a + "; " + b
}

func (c *Claim) result(said Published, from *Results) Result {
	v := c.judge(from, said)
	res := Result{Claim: c.Text, Source: said.Source, Kind: c.Kind, Published: said.Value, Holds: v.holds, Note: v.note, CI95Of: v.mark,
		unit: v.unit, words: v.words, Single: v.decides, few: v.few, Verdict: holdsNot}
	switch {
	case v.holds:
		res.Verdict = holds
	case v.open:
		res.Verdict, res.Note = untold, join(untold, v.note)
	case v.differs:
		res.Verdict = differs
	}
	if !math.IsNaN(v.ours) {
		res.Ours = &v.ours
	}
	if res.Ours != nil && !math.IsNaN(v.ci[0]) {
		res.CI95 = &v.ci
	}
	return res
}

// sensitivity says in how many variants a claim comes out as it does with the same seeds as they.
func (r *Report) sensitivity(claim int) string {
	base := &r.base[claim]
	otherwise := map[string][]string{}
	of, same := 0, 0
	for k, v := range r.variants {
		a := &r.again[k][claim]
		if a.Source == "" {
			continue
		}
		of++
		if a.verdict() == base.verdict() {
			same++
		} else {
			otherwise[a.verdict()] = append(otherwise[a.verdict()], v.name(r.e))
		}
	}
	if of == 0 {
		return ""
	}
	note := ""
	if len(r.seeds) > fewSeeds {
		note = fmt.Sprintf("over the first %d seeds: ", fewSeeds)
		if base.verdict() != r.Claims[claim].verdict() {
			note += base.verdict() + ", and "
		}
	}
	note += fmt.Sprintf("the same with %d of %d other assumptions", same, of)
	for _, verdict := range []string{holds, differs, holdsNot, untold} {
		if list := otherwise[verdict]; len(list) > 0 {
			note = join(note, verdict+" with "+strings.Join(list, ", "))
		}
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

// inWords counts the verdicts.
func (r *Report) inWords() string {
	count := map[string]int{}
	for i := range r.Claims {
		count[r.Claims[i].short()]++
	}
	text := fmt.Sprintf("%d of %d claims hold", r.Held(), len(r.Claims))
	for _, c := range []struct {
		n         int
		one, many string
	}{
		{count[differs], "1 number differs", "%d numbers differ"}, {count[holdsNot], "1 does not hold", "%d do not hold"},
		{count[open], "1 is open", "%d are open"}, {count[untold], "1 is undecided", "%d are undecided"},
	} {
		switch {
		case c.n == 1:
			text += "; " + c.one
		case c.n > 1:
			text += "; " + fmt.Sprintf(c.many, c.n)
		}
	}
	return text
}

// fewSeedsInWords says what so few seeds do not show, "" if there are enough.
func (r *Report) fewSeedsInWords() string {
	if len(r.seeds) >= enough || !slices.ContainsFunc(r.Claims, func(c Result) bool { return c.few }) {
		return ""
	}
	return fmt.Sprintf("Open: few seeds can show that a published value differs, but it takes %d to show that it holds.", enough)
}

// Unmet says which claims do not hold, and of which the seeds do not tell; "" if all hold.
func (r *Report) Unmet() string {
	var not, open []string
	for i := range r.Claims {
		switch c := &r.Claims[i]; c.verdict() {
		case holdsNot, differs:
			not = append(not, c.Claim)
		case untold:
			open = append(open, c.Claim)
		}
	}
	text := ""
	if len(not) > 0 {
		text = fmt.Sprintf("%d of %d claims do not hold (%s)", len(not), len(r.Claims), strings.Join(not, "; "))
	}
	if len(open) > 0 {
		text = join(text, fmt.Sprintf("%d of %d claims are undecided: there are too few seeds (%s)", len(open), len(r.Claims), strings.Join(open, "; ")))
	}
	return text
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

// ours prints our value; of a difference, what it is.
func (c *Result) ours() string {
	if c.Ours == nil || c.words[0] == "" {
		return c.show(c.Ours)
	}
	return c.difference(*c.Ours)
}

// difference prints how much more or less it is.
func (c *Result) difference(x float64) string {
	return c.unit.format(math.Abs(x)) + " " + c.word(x)
}

func (c *Result) word(x float64) string {
	if x < 0 {
		return c.words[0]
	}
	return c.words[1]
}

// interval prints the interval that decides; one that does not, or is not of ours, with its mark.
func (c *Result) interval() string {
	switch {
	case c.Single != nil:
		return c.show(&c.Single[0]) + " to " + c.show(&c.Single[1]) + ", single runs"
	case c.CI95Of != "":
		return c.span() + ", " + c.CI95Of
	}
	return c.span()
}

// span prints the interval itself.
func (c *Result) span() string {
	switch {
	case c.CI95 == nil:
		return "–"
	case c.words[0] == "":
		return c.show(&c.CI95[0]) + " to " + c.show(&c.CI95[1])
	}
	from, to := c.CI95[0], c.CI95[1]
	if c.word(from) != c.word(to) {
		return c.difference(from) + " to " + c.difference(to)
	}
	if from < 0 {
		from, to = to, from
	}
	return c.unit.format(math.Abs(from)) + " to " + c.difference(to)
}

// The verdicts in words.
const (
	holds    = "holds"
	differs  = "differs"
	holdsNot = "does NOT hold"
	untold   = "undecided"
)

// open stands for untold in tables where that is so for too few seeds alone, which is said once.
const open = "open"

func (c *Result) verdict() string { return c.Verdict }

// short is the verdict as tables have it.
func (c *Result) short() string {
	if c.few {
		return open
	}
	return c.Verdict
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
	g := &report.Grid{Title: fmt.Sprintf("%s, %s: %s (%s)", r.e.Name, r.e.Paper, r.inWords(), r.seedsInWords())}
	g.Add("source", "claim", ">published", ">ours", ">95 % interval that decides", "verdict")
	for i := range r.Claims {
		c := &r.Claims[i]
		g.Add(c.Source, c.Claim, c.show(c.Published), c.ours(), c.interval(), c.short())
	}
	if err := g.Write(w); err != nil {
		return err
	}
	if text := r.fewSeedsInWords(); text != "" {
		if _, err := fmt.Fprintln(w, text); err != nil {
			return err
		}
	}
	for i := range r.Claims {
		c := &r.Claims[i]
		note := c.Note
		if c.few {
			note = strings.TrimPrefix(strings.TrimPrefix(note, untold), "; ")
		}
		if note != "" {
			if _, err := fmt.Fprintf(w, "\n%s, %s: %s", cmp.Or(c.Source, "?"), c.Claim, note); err != nil {
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
