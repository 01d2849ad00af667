package experiment

import (
	"slices"
	"strings"
	"testing"

	"github.com/slackline/slackline/internal/studies/report"
)

// The grid is joint: each value of one dimension with each of the others.
func TestGrid(t *testing.T) {
	c := &Calibration{Most: 6, Grid: []Dimension{{Key: "a.x", Values: []string{"1", "2"}}, {Key: "y", Values: []string{"3", "4", "5"}}}}
	var got []string
	for _, s := range c.settings() {
		got = append(got, strings.Join(s.values, ""))
	}
	if want := "13 14 15 23 24 25"; strings.Join(got, " ") != want {
		t.Errorf("%v, want %s", got, want)
	}
}

// Where the grid has more settings than are to be tried, those that are fill it evenly: each value comes as often as
// others of its dimension, each pair of values comes, and none comes twice.
func TestSpreadOverTheGrid(t *testing.T) {
	c := &Calibration{Most: 96}
	for i, n := range []int{3, 3, 2, 3, 3, 2, 4} {
		d := Dimension{Key: string(rune('a' + i))}
		for v := range n {
			d.Values = append(d.Values, string(rune('0'+v)))
		}
		c.Grid = append(c.Grid, d)
	}
	list := c.settings()
	seen, pairs, counts := map[string]bool{}, map[string]int{}, map[string]int{}
	for _, s := range list {
		seen[strings.Join(s.values, "")] = true
		for i, v := range s.values {
			counts[string(rune('a'+i))+v]++
			for j, w := range s.values[:i] {
				pairs[string(rune('a'+i))+v+string(rune('a'+j))+w]++
			}
		}
	}
	if len(list) != 96 || len(seen) != 96 || strings.Join(list[0].values, "") != "0000000" {
		t.Errorf("%d settings, %d of them different, the first %v", len(list), len(seen), list[0].values)
	}
	for i, d := range c.Grid {
		for _, v := range d.Values {
			if n, even := counts[d.Key+v], 96/len(d.Values); n < even*2/3 || n > even*4/3 {
				t.Errorf("value %s of dimension %d comes %d times, %d would be even", v, i, n, even)
			}
			for _, e := range c.Grid[:i] {
				for _, w := range e.Values {
					if pairs[d.Key+v+e.Key+w] == 0 {
						t.Errorf("%s %s and %s %s never come together", d.Key, v, e.Key, w)
					}
				}
			}
		}
	}
	if c.Most = 2000; len(c.settings()) != 1296 {
		t.Error("a grid that has no more settings is not tried whole")
	}
}

// A setting in which our runs have none of the numbers, as no job is late, fits nothing, however near it would count.
func TestSettingWithoutNumbers(t *testing.T) {
	one, three := 1.0, 3.0
	without, with := Degree{Distance: &one, None: 2, Met: 9}, Degree{Distance: &three, Met: 1}
	if !with.better(without) || without.better(with) || !strings.HasPrefix(without.words(), "none") {
		t.Error(without.words())
	}
}

// By hand: three settings, two files with two numbers each that were published as 0.5, and an order. Far from
// them are, on average, on f 0.2, 0.03 and 0.01, on g 0.01, 0.04 and 0.3. The second alone fits both.
func TestCalibrated(t *testing.T) {
	part := made1
	part.Unit = "%"
	half := 0.5
	p := &Plan{e: &Experiment{Name: "e", Paper: "paper", files: []string{"f", "g"}, Calibration: &Calibration{Seeds: 5, Within: 0.05, Most: 3,
		Grid: []Dimension{{Key: "a.rate", Values: []string{"1", "2", "3"}}}}},
		published: map[string]Published{"n": {Value: &half, Source: "table"}, "o": {Source: "table"}}, seeds: make([]uint64, 30), main: newResults()}
	for _, file := range p.e.files {
		for _, series := range []string{"x", "y"} {
			p.e.claim("n", file+series, number(part, play(series, file, series)))
		}
		p.e.claim("o", "order", more(part, play("x", file, "x"), play("y", file, "y")))
	}
	p.settings = p.e.Calibration.settings()
	for i, means := range [][2][2]float64{{{0.8, 0.6}, {0.51, 0.49}}, {{0.51, 0.45}, {0.5, 0.58}}, {{0.52, 0.5}, {0.1, 0.7}}} {
		for k, file := range p.e.files {
			for j, series := range []string{"x", "y"} {
				for _, off := range []float64{-0.005, -0.0025, 0, 0.0025, 0.005} {
					s := Series{file, series, ""}
					p.settings[i].results.outcomes[s] = append(p.settings[i].results.outcomes[s], &Outcome{Run: &report.Run{Summary: report.Summary{Makespan: means[k][j] + off}}})
				}
			}
		}
	}
	c := p.calibrated()
	if len(c.Fits) != 2 || c.Fits[0].Best != 2 || c.Fits[1].Best != 0 || !slices.Equal(c.Fits[0].Set, []int{1, 2}) || !slices.Equal(c.Fits[1].Set, []int{0, 1}) || !slices.Equal(c.All, []int{1}) {
		t.Fatalf("%+v", c)
	}
	// Single runs lie within 0.011 of the mean. On f the third has one number that is not refuted and the order;
	// the first has the order alone.
	for i, want := range []int{1, 2, 2} {
		if d := c.Settings[i].Files["f"]; d.Met != want || d.Claims != 3 {
			t.Errorf("setting %d: %+v, want %d met", i, d, want)
		}
	}
	title, rows, said := c.table()
	var b strings.Builder
	if err := report.GridOf(title, rows).Write(&b); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"3 settings of rate, with 5 seeds each", "f          rate 3", "1.0 points, 2 of 3", "predicted: 30.0 points, 0 of 3", "predicted: 20.0 points, 1 of 3"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}
	if want := "f is fitted by (rate 2), (rate 3). g is fitted by (rate 1), (rate 2). All files are fitted by (rate 2)."; said != want {
		t.Errorf("%s, want %s", said, want)
	}
	// None fits both within less.
	p.e.Calibration.Within = 0.02
	if _, _, said := p.calibrated().table(); !strings.HasSuffix(said, "No setting of the grid fits all files.") {
		t.Error(said)
	}
	// Without numbers the claims that are met decide.
	p.e.Claims = slices.DeleteFunc(p.e.Claims, func(c Claim) bool { return c.Kind == Number })
	if c := p.calibrated(); c.Fits[0].Best != 0 || !slices.Equal(c.Fits[1].Set, []int{0}) || c.Settings[0].Files["f"].Distance != nil {
		t.Errorf("%+v", c)
	}
}
