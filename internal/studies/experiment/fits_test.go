package experiment

import (
	"os"
	"slices"
	"strings"
	"testing"
)

// What fits the tables of paper 003 is fitted again, and is what the READMEs say: the best setting of each file,
// and how well it fits that file and predicts the other.
func TestFitsOf003(t *testing.T) {
	if os.Getenv("SLACKLINE_LONG") == "" {
		t.Skip("in the long tier: it plays some hundred runs")
	}
	for _, c := range []struct {
		name, file, best string
		seeds            []uint64
		degrees          []string
		said             []string // in the README
	}{
		{"003-matchmaking", "loadgen.yaml", "0.8MB", []uint64{1, 2, 3, 4, 5}, []string{"9 of 11", "7 of 9"}, []string{"| 160 s (0.8 MB/s) | 9 | 7 |"}},
		{"003-matchmaking", "wordcount.yaml", "0.8MB", []uint64{1, 2, 3, 4, 5}, []string{"9 of 11", "7 of 9"}, nil},
		{"003-rtmr", "workload-1.yaml", "2.56MB 84s 1", []uint64{1, 2, 3}, []string{"4.4 points, 11 of 16", "12.6 points, 11 of 16"},
			[]string{"| table 5.8 | 50 s, every 84 s, eta 1 | 4.4 points, 11 | predicted: 12.6 points, 11 |"}},
		{"003-rtmr", "workload-2.yaml", "1.6MB 42s 0.5", []uint64{1, 2, 3}, []string{"20.4 points, 9 of 16", "3.2 points, 15 of 16"},
			[]string{"| table 5.9 | 80 s, every 42 s, eta 0.5 | predicted: 20.4 points, 9 | 3.2 points, 15 |"}},
	} {
		e := find(t, c.name)
		e.Assumptions = nil
		p, err := e.Plan(c.seeds, true)
		if err != nil {
			t.Fatal(err)
		}
		r, err := p.Run(t.Context(), 0, nil)
		if err != nil {
			t.Fatal(err)
		}
		i := slices.IndexFunc(r.Calibration.Fits, func(f Fit) bool { return f.File == c.file })
		if i < 0 {
			t.Fatalf("%s: no fit of %s", c.name, c.file)
		}
		s := r.Calibration.Settings[r.Calibration.Fits[i].Best]
		var degrees []string
		for _, file := range e.files {
			degrees = append(degrees, s.Files[file].words())
		}
		if got := strings.Join(s.Values, " "); got != c.best || !slices.Equal(degrees, c.degrees) {
			t.Errorf("%s, %s: %s fits best, %q; want %s, %q", c.name, c.file, got, degrees, c.best, c.degrees)
		}
		text, err := e.Readme()
		for _, want := range c.said {
			if !strings.Contains(text, want) {
				t.Errorf("%s: README.md does not say %s: %v", c.name, want, err)
			}
		}
	}
}
