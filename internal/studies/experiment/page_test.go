package experiment

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/slackline/slackline/internal/studies/page/pagetest"
)

// A browser draws every claim and every figure, on a screen and on a telephone: nothing is wider
// than the window, and no word of a figure lies outside of it.
func TestBrowserDrawsExperiments(t *testing.T) {
	if testing.Short() {
		t.Skip("whole experiments are played where -short is not asked for")
	}
	b := pagetest.New(t)
	for _, e := range all(t) {
		if os.Getenv("SLACKLINE_LONG") == "" {
			e.folders = fewJobs{e.folders}
		}
		p, err := e.Plan([]uint64{1}, os.Getenv("SLACKLINE_LONG") != "") // in the long tier with all assumptions
		if err != nil {
			t.Fatal(err)
		}
		r, err := p.Run(t.Context(), 2, nil)
		if err != nil {
			t.Fatal(err)
		}
		var page bytes.Buffer
		if err := r.WritePage(&page); err != nil {
			t.Fatal(err)
		}
		if text, err := e.Readme(); err != nil || strings.Contains(text, "\n## Results\n") != strings.Contains(page.String(), "<h2>Results, as the README has them</h2>") {
			t.Errorf("%s: the page has not the results that its README has (%v)", e.Name, err)
		}
		file := filepath.Join(t.TempDir(), e.Name+".html")
		if err := os.WriteFile(file, page.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
		for _, look := range []struct {
			name   string
			width  int
			scheme string
		}{{"light", 1440, "light"}, {"narrow", 390, "dark"}} {
			b.Look(look.width, 900, look.scheme)
			b.Open(file)
			var got struct {
				Claims, Figures, Width int
				Outside                []string
			}
			b.Eval(`({
				claims: document.querySelectorAll('td.claim').length,
				figures: document.querySelectorAll('figure svg').length,
				width: document.documentElement.scrollWidth,
				outside: [...document.querySelectorAll('svg text')].filter(e => {
					const at = e.getBoundingClientRect(), all = e.ownerSVGElement.getBoundingClientRect();
					return at.left < all.left - 1 || at.right > all.right + 1 || at.top < all.top - 1 || at.bottom > all.bottom + 1;
				}).map(e => e.textContent),
			})`, &got)
			if got.Claims != len(e.Claims) || got.Figures != len(e.Figures) || got.Width > look.width || len(got.Outside) > 0 {
				t.Errorf("%s, %s: %+v, want %d claims and %d figures no wider than %d", e.Name, look.name, got, len(e.Claims), len(e.Figures), look.width)
			}
			if n := pagetest.Colours(b.Picture(e.Name + "-" + look.name)); n < 50 {
				t.Errorf("%s, %s: %d colours", e.Name, look.name, n)
			}
		}
		b.Quiet()
	}
}

// Who has not read the paper learns first what is compared. No heading stands above nothing.
func TestPageBegins(t *testing.T) {
	for _, e := range all(t) {
		bare := *e
		bare.Tables, bare.Figures = nil, nil
		var page bytes.Buffer
		if err := (&Report{e: &bare}).WritePage(&page); err != nil {
			t.Fatal(err)
		}
		begins, heading := strings.Index(page.String(), `<div class="text"><p>`), strings.Index(page.String(), "<h2>")
		if begins < 0 || begins > heading || strings.Contains(page.String(), "Our values on the paper's axes") {
			t.Errorf("%s: the page begins with %.80q", e.Name, page.String()[heading:])
		}
	}
}

// A note has the beginning of a long value, as far as it tells it from others.
func TestLongValues(t *testing.T) {
	e := &Experiment{Assumptions: []Assumption{{Key: "cluster.slots.rows"}}}
	for value, want := range map[string]string{
		"0.4":                        "rows 0.4",
		"[{at: 0s, capacity: 0.76}]": "rows [{at: 0s, capacity: 0.76}]",
		"[{at: 0s, capacity: 0.5}, {at: 60m, capacity: 0.8}]": "rows [{at: 0s, capacity: 0.5}, {at:…",
	} {
		if got := (&variant{value: value}).name(e); got != want {
			t.Errorf("%s is called %q, want %q", value, got, want)
		}
	}
}

// fewJobs are the folders of experiments with streams of forty jobs: a page is drawn of them as of 2,500.
type fewJobs struct{ fs.FS }

func (f fewJobs) ReadFile(name string) ([]byte, error) {
	text, err := fs.ReadFile(f.FS, name)
	return bytes.Replace(text, []byte("\njobs: 2500\n"), []byte("\njobs: 40\n"), 1), err
}
