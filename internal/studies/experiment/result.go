package experiment

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/slackline/slackline/internal/maths/each"
	"github.com/slackline/slackline/internal/studies/report"
)

// Schema names the form of the result. Fields may be added to it, never renamed.
const Schema = "slackline/reproduce/v2"

// Report is what came of an experiment.
type Report struct {
	Schema     string   `json:"schema"`
	Experiment string   `json:"experiment"`
	Claims     []Result `json:"claims"`
	Weather    string   `json:"weather,omitempty"` // where capacities come from

	Calibration *Calibrated `json:"calibration,omitempty"`

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
	Origin    Origin   `json:"origin"`
	Source    string   `json:"source,omitempty"` // of a claim of the paper: where it stands
	Kind      Kind     `json:"kind"`
	Published *float64 `json:"published"` // null: the paper's text has no number
	Ours      *float64 `json:"ours"`      // null: our runs have none
	// of the mean; both are ours if there is one seed; null: there is none
	CI95 *[2]float64 `json:"ci95"`
	// "against …", "from … to …": of that comparison, which decides; "mean", "tests decide": it
	// does not decide; left out: it is that of ours, and decides
	CI95Of string `json:"ci95_of,omitempty"`
	// where 95 % of ours lie, of single runs or averages of as many as were published, if that decides and
	// not the interval of the mean
	Single *[2]float64 `json:"single_runs95,omitempty"`
	Runs   int         `json:"runs,omitempty"` // that the published number is the average of, if several
	// from the published number, of 1 where both are parts, else as a part of it; null: none was published
	Distance *float64 `json:"distance"`
	Verdict  Verdict  `json:"verdict"`
	Note     string   `json:"note"`
	unit     *Metric
	words    [2]string
	few      bool
}

// judge judges all claims, as the files say and again with each other assumption.
func (p *Plan) judge() (*Report, error) {
	few := p.main.first(fewSeeds)
	r := &Report{Schema: Schema, Experiment: p.e.Name, Weather: p.weather, e: p.e, published: p.published, seeds: p.seeds, results: p.main, variants: p.variants}
	for i := range p.e.Claims {
		c := &p.e.Claims[i]
		said, ok := p.published[c.Key]
		if !ok && c.origin() == Paper {
			return nil, fmt.Errorf("%s: published.json has no %q", p.e.Name, c.Key)
		}
		r.Claims = append(r.Claims, c.result(said, p.main))
		r.base = append(r.base, c.result(said, few))
	}
	r.again = make([][]Result, len(p.variants))
	for k, v := range p.variants {
		r.again[k] = make([]Result, len(r.Claims))
		for i := range p.e.Claims {
			if c := &p.e.Claims[i]; v.files[c.file()] {
				r.again[k][i] = c.result(p.published[c.Key], v.results)
			}
		}
	}
	r.Calibration = p.calibrated()
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
	res := Result{Claim: c.Text, Origin: c.origin(), Source: said.Source, Kind: c.Kind, Published: said.Value, Note: v.note, CI95Of: v.mark,
		unit: v.unit, words: v.words, Single: v.decides, few: v.few, Verdict: Refuted}
	if said.Runs > 1 {
		res.Runs = said.Runs
	}
	if !math.IsNaN(v.ours) {
		res.Ours = &v.ours
	}
	if res.Ours != nil && !math.IsNaN(v.ci[0]) {
		res.CI95 = &v.ci
	}
	if res.Ours != nil && said.Value != nil && c.Kind == Number && v.unit.Unit != chosen {
		res.Distance = new(distance(v.unit, *said.Value, v.ours))
	}
	near := v.decides == nil || c.Kind != Number || c.near(v, said)
	switch {
	case v.holds && (near || c.Given != "" || c.Fitted != ""), near && v.decides != nil && c.Kind == Number:
		res.Verdict, res.Note = c.met(), join(join(c.Given, c.Fitted), v.note)
	case v.holds:
		res.Verdict = Compatible
	case v.open:
		res.Verdict = Open
	}
	return res
}

// near tells whether a number is within the margin with its whole interval, and off by a fifth of what was
// published at most: five points are much of a number that is seven.
func (c *Claim) near(v verdict, said Published) bool {
	if said.Value == nil || math.IsNaN(v.ours) || math.IsNaN(v.half) {
		return false
	}
	far := math.Abs(v.ours-*said.Value) + v.half
	return distanceOf(v.unit, *said.Value, far) <= c.Margin && far <= math.Abs(*said.Value)/5
}

// distance is how far ours is from what was published.
func distance(m *Metric, published, ours float64) float64 {
	return distanceOf(m, published, math.Abs(ours-published))
}

// distanceOf is a difference in the measure of distances: that of parts as it is, else as a part of
// what was published.
func distanceOf(m *Metric, published, by float64) float64 {
	if m.Unit == "%" || published == 0 {
		return by
	}
	return by / math.Abs(published)
}

// sensitivity says in how many variants a claim comes out as it does with the same seeds as they.
func (r *Report) sensitivity(claim int) string {
	base := &r.base[claim]
	otherwise := map[Verdict][]string{}
	of, same := 0, 0
	for k, v := range r.variants {
		a := &r.again[k][claim]
		if a.Verdict == "" {
			continue
		}
		of++
		if a.Verdict == base.Verdict {
			same++
		} else {
			otherwise[a.Verdict] = append(otherwise[a.Verdict], v.name(r.e))
		}
	}
	if of == 0 {
		return ""
	}
	note := ""
	if len(r.seeds) > fewSeeds {
		note = fmt.Sprintf("over the first %d seeds: ", fewSeeds)
		if base.Verdict != r.Claims[claim].Verdict {
			note += base.Verdict.words() + ", and "
		}
	}
	note += fmt.Sprintf("the same with %d of %d other assumptions", same, of)
	for _, verdict := range verdicts {
		if list := otherwise[verdict]; len(list) > 0 {
			note = join(note, verdict.words()+" with "+strings.Join(list, ", "))
		}
	}
	return note
}

// longest is how much of a value a note has; the tables of the page have all of it.
const longest = 30

// name is the assumption and its value.
func (v *variant) name(e *Experiment) string {
	key := e.Assumptions[v.assumption].Key
	value := v.value
	if len(value) > longest {
		value = strings.ToValidUTF8(value[:longest], "") + "…"
	}
	return key[strings.LastIndexByte(key, '.')+1:] + " " + value
}

// inWords counts the verdicts, on the paper's claims and on ours apart.
func (r *Report) inWords() string {
	count, all := map[Origin]map[Verdict]int{Paper: {}, Ours: {}}, map[Origin]int{}
	for i := range r.Claims {
		c := &r.Claims[i]
		count[c.Origin][c.Verdict]++
		all[c.Origin]++
	}
	var parts []string
	for _, of := range []struct {
		origin Origin
		words  string
		met    Verdict
	}{{Paper, "of %d claims of the paper %d are reproduced", Reproduces}, {Ours, "of %d of ours %d hold", Holds}} {
		if all[of.origin] == 0 {
			continue
		}
		text := fmt.Sprintf(of.words, all[of.origin], count[of.origin][of.met])
		for _, v := range verdicts {
			if n := count[of.origin][v]; n > 0 && v != of.met {
				text += fmt.Sprintf(", %d %s", n, v.words())
			}
		}
		parts = append(parts, text)
	}
	text := strings.Join(parts, "; ")
	if mean, parts, n, _ := r.e.distances(r.Claims, ""); n > 1 {
		text += fmt.Sprintf("; mean distance of %d numbers %s", n, far(mean, parts))
	}
	return text
}

// distances is the mean distance of the numbers that were published and could be otherwise, and how many there
// are, of one file or of all, and of how many our runs have none. It is of parts if all of them are.
func (e *Experiment) distances(results []Result, file string) (mean float64, parts bool, n, none int) {
	parts = true
	for i := range results {
		if c, of := &results[i], &e.Claims[i]; of.Kind == Number && c.unit.Unit != chosen && of.Given == "" && c.Published != nil && (file == "" || file == of.file()) {
			d := 1.0
			if c.Distance != nil {
				d = *c.Distance
			} else {
				none++
			}
			mean += d
			n++
			parts = parts && c.unit.Unit == "%"
		}
	}
	return mean / float64(max(1, n)), parts, n, none
}

// fewSeedsInWords says what so few seeds do not show, "" if there are enough.
func (r *Report) fewSeedsInWords() string {
	if len(r.seeds) >= enough || !slices.ContainsFunc(r.Claims, func(c Result) bool { return c.few }) {
		return ""
	}
	return fmt.Sprintf("Open: few seeds can refute a published value, but it takes %d to show that it is compatible.", enough)
}

// Unmet says which claims are refuted, and which are open; "" if none is.
func (r *Report) Unmet() string {
	text := ""
	for _, v := range []Verdict{Refuted, Open} {
		var list []string
		for i := range r.Claims {
			if c := &r.Claims[i]; c.Verdict == v {
				list = append(list, c.Claim)
			}
		}
		if why := map[Verdict]string{Open: ", as there are too few seeds"}[v]; len(list) > 0 {
			text = join(text, fmt.Sprintf("%d of %d claims are %s%s (%s)", len(list), len(r.Claims), v.words(), why, strings.Join(list, "; ")))
		}
	}
	return text
}

// place is where a claim stands.
func (c *Result) place() string { return cmp.Or(c.Source, string(c.Origin)) }

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
		return c.show(&c.Single[0]) + " to " + c.show(&c.Single[1]) + ", " + c.runs()
	case c.CI95Of != "":
		return c.span() + ", " + c.CI95Of
	}
	return c.span()
}

// runs says of what the interval is that decides on a number.
func (c *Result) runs() string {
	if c.Runs > 1 {
		return fmt.Sprintf("averages of %d runs", c.Runs)
	}
	return "single runs"
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

// A Verdict says what our runs show of a claim.
type Verdict string

// The verdicts.
const (
	Reproduces     Verdict = "reproduces"      // a number within the margin, an order or a range as it was published
	Holds          Verdict = "holds"           // of a claim of ours: it is so
	WasFitted      Verdict = "calibrated"      // it fits, as one of our settings was chosen by it: no evidence
	Compatible     Verdict = "compatible"      // a number that is not refuted, and not surely within the margin
	ByConstruction Verdict = "by_construction" // it could not be otherwise: no evidence
	Refuted        Verdict = "refuted"
	Open           Verdict = "open" // so many seeds do not tell
)

var verdicts = []Verdict{Reproduces, Holds, Compatible, WasFitted, ByConstruction, Refuted, Open}

func (v Verdict) words() string { return strings.ReplaceAll(string(v), "_", " ") }

// far prints the distance.
func (c *Result) far() string {
	if c.Distance == nil {
		return "–"
	}
	return far(*c.Distance, c.unit.Unit == "%")
}

func far(distance float64, parts bool) string {
	if parts {
		return fmt.Sprintf("%.1f points", 100*distance)
	}
	return fmt.Sprintf("%.1f %%", 100*distance)
}

// seedsInWords says how many there were.
func (r *Report) seedsInWords() string {
	text := fmt.Sprintf("%d seeds", len(r.seeds))
	if len(r.seeds) == 1 {
		text = "one seed, so no interval"
	}
	if r.Weather != "" {
		text += "; " + r.Weather
	}
	return text
}

// WriteTable prints the tables of the experiment, and published beside ours with a verdict for each claim.
func (r *Report) WriteTable(w io.Writer) error {
	var text strings.Builder // which takes all that is written
	b := report.Like(w, &text)
	for i := range r.e.Tables {
		_ = report.GridOf(r.e.Tables[i].Title, r.rows(&r.e.Tables[i])).Write(b)
		fmt.Fprintln(b)
	}
	g := &report.Grid{Title: fmt.Sprintf("%s, %s: %s (%s)", r.e.Name, r.e.Paper, r.inWords(), r.seedsInWords())}
	g.Add("whose", "claim", ">published", ">ours", ">distance", ">95 % interval that decides", "verdict")
	for i := range r.Claims {
		c := &r.Claims[i]
		g.Add(c.place(), c.Claim, c.show(c.Published), c.ours(), c.far(), c.interval(), c.Verdict.words())
	}
	_ = g.Write(b)
	if few := r.fewSeedsInWords(); few != "" {
		fmt.Fprintln(b, b.Wrapped(few))
	}
	for i := range r.Claims {
		if c := &r.Claims[i]; c.Note != "" {
			fmt.Fprintf(b, "\n%s", b.Wrapped(fmt.Sprintf("%s, %s: %s", c.place(), c.Claim, c.Note)))
		}
	}
	fmt.Fprintln(b)
	if r.Calibration != nil {
		title, rows, said := r.Calibration.table()
		fmt.Fprintln(b)
		_ = report.GridOf(title, rows).Write(b)
		fmt.Fprintln(b, b.Wrapped(said))
	}
	_, err := io.WriteString(w, text.String())
	return err
}

// rows fills a table with means and half the width of their intervals; the first row is the heading.
func (r *Report) rows(t *Table) [][]string {
	rows := [][]string{append([]string{""}, each.Of(t.Metrics, func(m Metric) string { return ">" + m.Name })...)}
	for _, row := range t.Rows {
		cells := []string{row.Name}
		for _, m := range t.Metrics {
			m := m.over(row.Series)
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
