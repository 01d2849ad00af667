package experiment

import (
	"cmp"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/slackline/slackline/internal/config"
	"github.com/slackline/slackline/internal/maths/each"
	"github.com/slackline/slackline/internal/maths/spelling"
)

// stated is experiment.yaml: an experiment as data. In texts, a word of a case in braces stands for
// what the case says.
type stated struct {
	Paper       string              `json:"paper" need:"yes" doc:"what is run again"`
	About       string              `json:"about" need:"yes" doc:"the same in a few words"`
	Took        string              `json:"took" doc:"run time on two cores"`
	Margin      float64             `json:"margin" min:"0" max:"1" doc:"how far a number may be off and still count as reproduced: in parts of 1 where both are parts, else relative to it"`
	Cases       []map[string]string `json:"cases" need:"yes" some:"yes" doc:"all claims, figures and tables are about each of these; file is the scenario file"`
	Series      []stateSeries       `json:"series" need:"yes" some:"yes" doc:"policies"`
	Claims      []stateClaim        `json:"claims" need:"yes" some:"yes" doc:"what the paper says, as it can be checked"`
	Figures     []stateFigure       `json:"figures" doc:"curves over the paper's axes"`
	Tables      []stateTable        `json:"tables" doc:"metrics of several series"`
	Assumptions []Assumption        `json:"assumptions" doc:"what the paper does not say"`
	Calibration *Calibration        `json:"calibration" doc:"which of the values that the paper leaves open fit its tables"`
}

type stateSeries struct {
	ID     string    `json:"id" need:"yes" doc:"name in the rest of the file"`
	Name   string    `json:"name" need:"yes" doc:"name for people"`
	Policy string    `json:"policy" need:"yes" doc:"policy under which the scenario files are played"`
	Values []float64 `json:"values" doc:"of a parameter: a series for each, for which {value} stands in name, policy and file; ID VALUE is one of them; {seed} in a policy stands for the seed of each run"`
	Unit   string    `json:"unit" doc:"unit of that parameter, such as s; none if left out"`
	File   string    `json:"file" doc:"scenario file in which it is played; that of the case if left out"`
	Over   string    `json:"over" doc:"a policy: metrics of the series are the part by which they are below those of that one"`
}

type stateClaim struct {
	Key  string   `json:"key" need:"yes" doc:"of what published.json says"`
	Text string   `json:"text" need:"yes" doc:"the claim in words"`
	Only string   `json:"only" doc:"scenario file of the one case of which it is claimed"`
	Is   relation `json:"is" need:"yes" doc:"what is claimed"`

	Given string `json:"by_construction" doc:"why it could not be otherwise, such as a theorem; left out: it could"`
}

// relation is what is claimed of a metric, by one of the first keys.
type relation struct {
	Number   *Metric `json:"number" doc:"it is the published number"`
	Always   *Metric `json:"always" doc:"in every run it is the published number"`
	Below    *Metric `json:"below" doc:"it is below to"`
	Above    *Metric `json:"above" doc:"it is above from"`
	More     *Metric `json:"more" doc:"it is more than that of each of than"`
	Less     *Metric `json:"less" doc:"it is less than that of each of than, or with within at most that part more"`
	Grows    *Metric `json:"grows" doc:"it grows from each series to the next"`
	Least    *Metric `json:"least" doc:"of several series, the least is one with a value between from and to"`
	NotLeast *Metric `json:"not_least" doc:"one of than has less of it"`

	Of      string       `json:"of" need:"yes" doc:"series, or several where the claim is about them"`
	Than    config.Texts `json:"than" doc:"series to compare with"`
	OfWhich *Metric      `json:"of_which" doc:"metric of than; the same if left out"`
	Within  float64      `json:"within" min:"0" doc:"part of 1"`
	From    float64      `json:"from" doc:"least value of a series"`
	To      float64      `json:"to" doc:"bound, or greatest value of a series"`
}

type stateFigure struct {
	Only   string      `json:"only" doc:"scenario file of the one case that has it"`
	Title  string      `json:"title" need:"yes" doc:"title"`
	Source string      `json:"source" need:"yes" doc:"where the paper has it"`
	X      string      `json:"x" doc:"what stands along"`
	Metric Metric      `json:"metric" doc:"metric of all points that do not name their own"`
	Bars   bool        `json:"bars" doc:"true: bars in groups, instead of lines"`
	Lines  []stateLine `json:"lines" need:"yes" some:"yes" doc:"series that belong together"`
}

type stateLine struct {
	Name   string `json:"name" need:"yes" doc:"for the legend"`
	Colour int    `json:"colour" min:"0" max:"3" doc:"number of its colour"`
	Of     string `json:"of" need:"yes" doc:"the series, each of which is a point"`
	Points []struct {
		Metric Metric `json:"metric" need:"yes" doc:"its own metric"`
		Key    string `json:"key" doc:"of what published.json says"`
	} `json:"points" doc:"several points of one series"`
}

type stateTable struct {
	Only  string `json:"only" doc:"scenario file of the one case that has it"`
	Title string `json:"title" need:"yes" doc:"title"`
	Rows  []struct {
		Of     config.Texts `json:"of" need:"yes" doc:"the series"`
		Before string       `json:"before" doc:"put before their names"`
	} `json:"rows" need:"yes" some:"yes" doc:"series"`
	Metrics []Metric `json:"metrics" need:"yes" some:"yes" doc:"metrics"`
}

// stating makes an experiment of its data: one case at a time.
type stating struct {
	stated
	doc  *config.Document
	e    *Experiment
	file string            // of the case
	text *strings.Replacer // its words

	judging bool // series that are found are those of claims
}

// read reads the experiment in a folder.
func read(folders fs.FS, folder, name, place string) (*Experiment, error) {
	const file = "experiment.yaml"
	src, err := fs.ReadFile(folders, path.Join(folder, file))
	if err != nil {
		return nil, fmt.Errorf("%s is not an experiment: %w", place, err)
	}
	doc, err := config.ParseOne(path.Join(place, file), src)
	if err != nil {
		return nil, err
	}
	b := stating{doc: doc}
	doc.Read(&b.stated)
	if err := doc.Err(); err != nil {
		return nil, err
	}
	b.e = &Experiment{Name: name, Paper: b.Paper, About: b.About, Took: b.Took, Assumptions: b.Assumptions, Calibration: b.Calibration, folders: folders,
		folder: folder, place: place, plays: map[string][]string{}, judged: map[string][]string{}}
	for i := 0; b.Calibration != nil && i < len(b.Calibration.Grid); i++ {
		if g := &b.Calibration.Grid[i]; len(g.Called) > 0 && len(g.Called) != len(g.Values) {
			doc.Failf(fmt.Sprintf("calibration.grid[%d].called", i), "the number of names is %d, that of values %d; give each value its own name", len(g.Called), len(g.Values))
		}
	}
	b.once()
	for i, c := range b.Cases {
		if c["file"] == "" {
			doc.Failf(fmt.Sprintf("cases[%d]", i), "a case has no file; name its scenario file, such as {file: scenario.yaml}")
		}
		words := []string{}
		for word, is := range c {
			words = append(words, "{"+word+"}", is)
		}
		b.file, b.text = c["file"], strings.NewReplacer(words...)
		b.e.Files = append(b.e.Files, b.file)
		b.judging = true
		b.claims()
		b.judging = false
		b.figures()
		b.tables()
	}
	return b.e, doc.Err()
}

// once complains of values that are given twice: they would be played, shown and counted twice.
func (b *stating) once() {
	complain := func(path string, list []string) {
		for i, v := range list {
			if slices.Contains(list[:i], v) {
				b.doc.Failf(fmt.Sprintf("%s[%d]", path, i), "the value %s is given twice", v)
			}
		}
	}
	for i, s := range b.Series {
		complain(fmt.Sprintf("series[%d].values", i), each.Of(s.Values, func(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }))
	}
	for i, a := range b.Assumptions {
		complain(fmt.Sprintf("assumptions[%d].others", i), a.Others)
		if at := slices.Index(a.Others, a.Value); at >= 0 {
			b.doc.Failf(fmt.Sprintf("assumptions[%d].others[%d]", i, at), "%s is what is assumed: others are values in its place", a.Value)
		}
	}
	if b.Calibration != nil {
		for i, g := range b.Calibration.Grid {
			complain(fmt.Sprintf("calibration.grid[%d].values", i), g.Values)
		}
	}
}

// rows are the series of these names. The paths are those of the names, for errors.
func (b *stating) rows(path string, names ...string) (rows []Row) {
	var known []string
	for _, name := range names {
		before := len(rows)
		for _, s := range b.Series {
			known = append(known, s.ID)
			if name == s.ID && len(s.Values) == 0 {
				rows = append(rows, Row{Name: s.Name, Series: b.plays(s, s.Policy, s.File)})
			}
			for _, v := range s.Values {
				if value := strconv.FormatFloat(v, 'g', -1, 64); name == s.ID || name == s.ID+" "+value {
					put := func(text string) string { return strings.ReplaceAll(text, "{value}", value) }
					rows = append(rows, Row{put(s.Name), b.plays(s, put(s.Policy), put(s.File)), v, s.Unit})
				}
			}
		}
		if len(rows) == before {
			b.doc.Failf(path, "there is no series %q%s", name, spelling.Hint(name, known))
		}
	}
	return rows
}

// plays notes that a file is played by the policies of a series.
func (b *stating) plays(s stateSeries, policy, file string) Series {
	file = cmp.Or(file, b.file)
	for _, one := range []string{policy, s.Over} {
		if list := b.e.plays[file]; one != "" && !slices.Contains(list, one) {
			b.e.plays[file] = append(list, one)
		}
		if list := b.e.judged[file]; b.judging && one != "" && !slices.Contains(list, one) {
			b.e.judged[file] = append(list, one)
		}
	}
	return Series{file, policy, s.Over}
}

// claims adds those of the case.
func (b *stating) claims() {
	for i, c := range b.Claims {
		if c.Only != "" && c.Only != b.file {
			continue
		}
		at := fmt.Sprintf("claims[%d].is", i)
		of := b.rows(at+".of", c.Is.Of)
		than := slices.DeleteFunc(b.rows(at+".than", c.Is.Than...), func(r Row) bool { return slices.Contains(of, r) })
		if len(b.doc.Errs) > 0 {
			continue
		}
		made := c.Is.claims(b.text.Replace(c.Key), b.text.Replace(c.Text), of, than)
		if len(made) != 1 {
			b.doc.Failf(at, "a claim is of a metric, by one of number, always, below, above, more, less, grows, least and not_least, such as more: locality")
		} else if compares := c.Is.More != nil || c.Is.Less != nil || c.Is.NotLeast != nil; compares != (len(than) > 0) {
			b.doc.Failf(at, "more, less and not_least need than, the series to compare with; the others must not have it")
		}
		for k := range made {
			made[k].Margin, made[k].Given = b.Margin, c.Given
		}
		b.e.Claims = append(b.e.Claims, made...)
	}
}

// claims are those of all relations that are named.
func (r *relation) claims(key, text string, of, than []Row) (made []Claim) {
	one := of[0]
	add := func(m *Metric, claim func(m Metric) Claim) {
		if m != nil {
			made = append(made, claim(m.over(one.Series)))
		}
	}
	add(r.Number, func(m Metric) Claim { return number(key, text, one.Series, m) })
	add(r.Always, func(m Metric) Claim { return always(key, text, one.Series, m) })
	add(r.Below, func(m Metric) Claim { return below(key, text, one.Series, m, r.To) })
	add(r.Above, func(m Metric) Claim { return above(key, text, one.Series, m, r.From) })
	add(r.More, func(m Metric) Claim {
		if r.OfWhich != nil && len(than) == 1 {
			return moreOf(key, text, one, m, than[0], *r.OfWhich)
		}
		return more(key, text, one, than, m)
	})
	add(r.Less, func(m Metric) Claim {
		if r.Within > 0 {
			return nearLess(key, text, one, than, m, r.Within)
		}
		return less(key, text, one, than, m)
	})
	add(r.Grows, func(m Metric) Claim { return grows(key, text, of, m) })
	add(r.NotLeast, func(m Metric) Claim { return notLowest(key, text, one, than, m) })
	add(r.Least, func(m Metric) Claim {
		kind, values := Range, each.Of(of, func(row Row) float64 { return row.Value })
		if r.From == r.To {
			kind = Number
		}
		return lowestAt(key, text, kind, of, values, m, r.From, r.To)
	})
	return made
}

// figures adds those of the case.
func (b *stating) figures() {
	for i, f := range b.Figures {
		if f.Only != "" && f.Only != b.file {
			continue
		}
		figure := Figure{Title: b.text.Replace(f.Title), Source: b.text.Replace(f.Source), X: f.X, Metric: f.Metric, Bars: f.Bars}
		for k, l := range f.Lines {
			line := Line{Name: l.Name, Colour: l.Colour}
			for _, r := range b.rows(fmt.Sprintf("figures[%d].lines[%d].of", i, k), l.Of) {
				if len(l.Points) == 0 {
					line.At = append(line.At, Point{Tick: r.Name, Series: r.Series})
				}
				for _, p := range l.Points {
					line.At = append(line.At, Point{Tick: p.Metric.Name, Series: r.Series, Metric: &p.Metric, Key: b.text.Replace(p.Key)})
					figure.Metric.Unit = p.Metric.Unit
				}
			}
			for _, p := range line.At {
				if !slices.Contains(figure.Ticks, p.Tick) {
					figure.Ticks = append(figure.Ticks, p.Tick)
				}
			}
			figure.Lines = append(figure.Lines, line)
		}
		b.e.Figures = append(b.e.Figures, figure)
	}
}

// tables adds those of the case.
func (b *stating) tables() {
	for i, t := range b.Tables {
		if t.Only != "" && t.Only != b.file {
			continue
		}
		table := Table{Title: b.text.Replace(t.Title), Metrics: t.Metrics}
		for k, rows := range t.Rows {
			for _, r := range b.rows(fmt.Sprintf("tables[%d].rows[%d].of", i, k), rows.Of...) {
				r.Name = rows.Before + r.Name
				table.Rows = append(table.Rows, r)
			}
		}
		b.e.Tables = append(b.e.Tables, table)
	}
}
