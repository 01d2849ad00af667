package experiment

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/slackline/slackline/internal/config"
	"github.com/slackline/slackline/internal/maths/each"
	"github.com/slackline/slackline/units"
)

// Calibration is a joint grid of what the paper leaves open. Each file is fitted by itself, and the others are
// predicted with what fits it.
type Calibration struct {
	Seeds  int         `json:"seeds" min:"2" max:"1000" def:"5" doc:"seeds of each setting, the first of all"`
	Within float64     `json:"within" above:"0" max:"1" def:"0.05" doc:"mean distance up to which a setting fits a file whose numbers were published"`
	Grid   []Dimension `json:"grid" need:"yes" some:"yes" doc:"what is varied, jointly"`
	Most   int         `json:"most" min:"2" max:"10000" def:"1000" doc:"settings that are tried; where the grid has more, they are spread over it"`
}

// Dimension is one of what a calibration varies.
type Dimension struct {
	What   string       `json:"what" need:"yes" doc:"in words"`
	Key    string       `json:"key" need:"yes" doc:"of the scenario, or policy.NAME.PARAMETER"`
	Values config.Texts `json:"values" need:"yes" some:"yes" doc:"values"`
	Called config.Texts `json:"called" doc:"what reports call them; as they are written if left out"`
}

// calls is what reports call a value.
func (d *Dimension) calls(value string) string {
	if i := slices.Index(d.Values, value); i < len(d.Called) {
		return d.Called[i]
	}
	return value
}

// name is the end of the key.
func (d *Dimension) name() string { return d.Key[strings.LastIndexByte(d.Key, '.')+1:] }

// setting is one point of the grid.
type setting struct {
	values  []string // by dimension
	results *Results
}

// settings are all of them, the last dimension fastest, or as many as are tried.
func (c *Calibration) settings() []setting {
	if size(c.Grid) > c.Most {
		return c.spread()
	}
	list := make([]setting, size(c.Grid))
	for i := range list {
		list[i] = setting{make([]string, len(c.Grid)), newResults()}
		for at, k := i, len(c.Grid)-1; k >= 0; k-- {
			values := c.Grid[k].Values
			list[i].values[k], at = values[at%len(values)], at/len(values)
		}
	}
	return list
}

// size is how many settings a grid has.
func size(grid []Dimension) int {
	all := 1
	for i := range grid {
		all = min(all*len(grid[i].Values), 1<<30)
	}
	return all
}

// spread are settings that fill the grid evenly, in each dimension and jointly: multiples of powers of the
// generalised golden ratio, the root of g^(n+1) = g + 1 for n dimensions (Roberts, "The unreasonable effectiveness of
// quasirandom sequences", 2018). The first is that of the first values. One that comes again is left out.
func (c *Calibration) spread() (list []setting) {
	n, golden := len(c.Grid), 1.5
	for range 60 {
		golden = math.Pow(1+golden, 1/float64(n+1))
	}
	seen := map[string]bool{}
	for i := 0; i < 100*c.Most && len(list) < c.Most; i++ {
		s := setting{results: newResults()}
		for k, d := range c.Grid {
			_, at := math.Modf(units.Rounded(float64(i) / math.Pow(golden, float64(k+1))))
			s.values = append(s.values, d.Values[int(at*float64(len(d.Values)))])
		}
		if key := strings.Join(s.values, "\n"); !seen[key] {
			seen[key] = true
			list = append(list, s)
		}
	}
	return list
}

// calibrate adds the runs of the grid.
func (p *Plan) calibrate(seeds []uint64) error {
	c := p.e.Calibration
	if c == nil {
		return nil
	}
	p.settings = c.settings()
	for _, s := range p.settings {
		var sweep []string
		var params []param
		for i, v := range s.values {
			if of, ok := paramOf(c.Grid[i].Key, v); ok {
				params = append(params, of)
			} else {
				sweep = append(sweep, fmt.Sprintf("%q: [%s]", c.Grid[i].Key, v))
			}
		}
		for _, file := range p.e.files {
			o := others{params: [][]param{params}}
			if len(sweep) > 0 {
				o.sweep = "{" + strings.Join(sweep, ", ") + "}"
			}
			if _, err := p.add(file, o, seeds[:min(c.Seeds, len(seeds))], []*Results{s.results}); err != nil {
				return err
			}
		}
	}
	return nil
}

// Calibrated is what came of a calibration.
type Calibrated struct {
	Keys     []string  `json:"keys"`
	Seeds    int       `json:"seeds"`
	Within   float64   `json:"within"`
	Settings []Setting `json:"settings"`
	Fits     []Fit     `json:"fits"` // one for each file
	All      []int     `json:"all"`  // settings that fit all files

	grid []Dimension
}

// Setting is how far one point of the grid is from each file's table.
type Setting struct {
	Values []string          `json:"values"`
	Files  map[string]Degree `json:"files"`
}

// Degree is how well a file's claims fit.
type Degree struct {
	Distance *float64 `json:"distance"` // mean of the published numbers; null: there are none
	Met      int      `json:"met"`      // claims that are as published, or numbers that are not refuted
	Claims   int      `json:"claims"`
	None     int      `json:"none,omitempty"` // published numbers of which our runs have none, as when no job is late
	parts    bool
}

// Fit is what fits a file.
type Fit struct {
	File string `json:"file"`
	Best int    `json:"best"` // the setting of the least distance, or if there is none of the most claims met
	Set  []int  `json:"set"`  // all settings that fit: within the distance, or with as many claims met as the best
}

// better tells whether a degree is a better one.
func (d Degree) better(o Degree) bool {
	if d.None != o.None {
		return d.None < o.None
	}
	if d.Distance != nil && *d.Distance != *o.Distance {
		return *d.Distance < *o.Distance
	}
	return d.Met > o.Met
}

// calibrated judges the grid, nil if there is none.
func (p *Plan) calibrated() *Calibrated {
	c := p.e.Calibration
	if len(p.settings) == 0 {
		return nil
	}
	out := &Calibrated{Seeds: min(c.Seeds, len(p.seeds)), Within: c.Within, grid: c.Grid, Fits: []Fit{}, All: []int{}}
	for i := range c.Grid {
		out.Keys = append(out.Keys, c.Grid[i].Key)
	}
	for _, s := range p.settings {
		at := Setting{s.values, map[string]Degree{}}
		var results []Result
		for i := range p.e.Claims {
			one := &p.e.Claims[i]
			r := one.result(p.published[one.Key], s.results)
			d := at.Files[one.file()]
			d.Claims++
			if r.Verdict != Refuted && (r.Verdict != Open || one.Kind == Number) {
				d.Met++
			}
			results, at.Files[one.file()] = append(results, r), d
		}
		for file, d := range at.Files {
			if mean, parts, n, none := p.e.distances(results, file); n > 0 {
				d.Distance, d.parts, d.None = &mean, parts, none
				at.Files[file] = d
			}
		}
		out.Settings = append(out.Settings, at)
	}
	for _, file := range p.e.files {
		fit := Fit{File: file, Set: []int{}}
		for i, s := range out.Settings {
			if s.Files[file].better(out.Settings[fit.Best].Files[file]) {
				fit.Best = i
			}
		}
		best := out.Settings[fit.Best].Files[file]
		for i, s := range out.Settings {
			if d := s.Files[file]; d.Distance != nil && d.None == 0 && *d.Distance <= c.Within || d.Distance == nil && d.Met == best.Met {
				fit.Set = append(fit.Set, i)
			}
		}
		out.Fits = append(out.Fits, fit)
	}
	for i := range out.Settings {
		if !slices.ContainsFunc(out.Fits, func(f Fit) bool { return !slices.Contains(f.Set, i) }) {
			out.All = append(out.All, i)
		}
	}
	return out
}

// words are the values of a setting.
func (c *Calibrated) words(i int) string {
	var list []string
	for k, v := range c.Settings[i].Values {
		list = append(list, c.grid[k].name()+" "+c.grid[k].calls(v))
	}
	return strings.Join(list, ", ")
}

// words are a degree as tables have it.
func (d Degree) words() string {
	met := fmt.Sprintf("%d of %d", d.Met, d.Claims)
	switch {
	case d.Distance == nil:
		return met
	case d.None > 0:
		return "none, " + met
	}
	return far(*d.Distance, d.parts) + ", " + met
}

// table has the best setting of each file, and what it predicts of the others; said is of the sets that fit.
func (c *Calibrated) table() (title string, rows [][]string, said string) {
	tried := fmt.Sprint(len(c.Settings))
	if all := size(c.grid); all > len(c.Settings) {
		tried += fmt.Sprintf(" of %d", all)
	}
	title = fmt.Sprintf("calibration: %s settings of %s, with %d seeds each: mean distance, claims met", tried, strings.Join(each.Of(c.grid, func(d Dimension) string { return d.name() }), ", "), c.Seeds)
	files := each.Of(c.Fits, func(f Fit) string { return ">" + f.File })
	rows = append(rows, append([]string{"fitted on", "best setting", ">settings that fit"}, files...))
	for _, f := range c.Fits {
		row := []string{f.File, c.words(f.Best), fmt.Sprint(len(f.Set))}
		for _, other := range c.Fits {
			cell := c.Settings[f.Best].Files[other.File].words()
			if other.File != f.File {
				cell = "predicted: " + cell
			}
			row = append(row, cell)
		}
		rows = append(rows, row)
	}
	for _, f := range c.Fits {
		if n := len(f.Set); n > 0 && n < len(c.Settings) {
			said += fmt.Sprintf("%s is fitted by %s. ", f.File, c.list(f.Set))
		}
	}
	switch n := len(c.All); {
	case len(c.Fits) < 2:
	case n == 0:
		said += "No setting of the grid fits all files."
	default:
		said += fmt.Sprintf("All files are fitted by %s.", c.list(c.All))
	}
	return title, rows, strings.TrimSpace(said)
}

// list names settings, up to some.
func (c *Calibrated) list(set []int) string {
	const most = 6
	text := strings.Join(each.Of(set[:min(most, len(set))], func(i int) string { return "(" + c.words(i) + ")" }), ", ")
	if n := len(set) - most; n > 0 {
		text += fmt.Sprintf(" and %d more", n)
	}
	return text
}
