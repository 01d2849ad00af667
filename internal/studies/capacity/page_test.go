package capacity

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/slackline/slackline/internal/studies/page/pagetest"
)

// A browser draws each class in each figure, on a screen and on a telephone, light and dark:
// nothing is wider than the window, and no word lies outside of its figure. Names are nothing but
// text.
func TestBrowserDrawsPlans(t *testing.T) {
	if testing.Short() {
		t.Skip("plans are played and drawn where -short is not asked for")
	}
	b := pagetest.New(t)
	c := example(t)
	c.Classes[2].Name = "a <b>class</b> with a long name"
	r := Plan(c)
	r.Change(c, []float64{-0.95, -0.6, -0.4, -0.2, 0})
	if err := r.Verify(context.Background(), c, "", 1); err != nil {
		t.Fatal(err)
	}
	late := Plan(read(t, strings.Replace(night, "60s", "19s", 1)))
	day := readFile(t, "fleet.yaml")
	fleet := Plan(day)
	fleet.Change(day, []float64{-0.95, -0.3, -0.2, -0.1, 0})
	if err := fleet.verify(context.Background(), day, "", 1, 1); err != nil {
		t.Fatal(err)
	}
	for name, r := range map[string]*Result{"plan": r, "late": late, "fleet": fleet} {
		var out bytes.Buffer
		if err := r.WritePage(&out); err != nil {
			t.Fatal(err)
		}
		if r.Played != nil && !strings.Contains(out.String(), "played by fair, each class on slots of its own, seed 1; all jobs in time") {
			t.Errorf("%s: the page does not say how it was played", name)
		}
		file := filepath.Join(t.TempDir(), name+".html")
		if err := os.WriteFile(file, out.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
		for _, look := range []struct {
			name   string
			width  int
			scheme string
		}{{"light", 1440, "light"}, {"dark", 1440, "dark"}, {"narrow", 390, "light"}, {"narrow-dark", 390, "dark"}} {
			b.Look(look.width, 900, look.scheme)
			b.Open(file)
			var got struct {
				Figures, Marks, Rows, Points, Width int
				Outside                             []string
				Bold                                int
			}
			b.Eval(`({
				figures: document.querySelectorAll('figure > svg').length,
				marks: document.querySelectorAll('.mark').length,
				rows: document.querySelector('tbody').rows.length,
				points: document.querySelectorAll('circle title').length,
				width: document.documentElement.scrollWidth,
				bold: document.querySelectorAll('td b').length,
				outside: [...document.querySelectorAll('figure > svg text')].filter(e => {
					const at = e.getBoundingClientRect(), all = e.ownerSVGElement.getBoundingClientRect();
					return at.left < all.left - 1 || at.right > all.right + 1 || at.top < all.top - 1 || at.bottom > all.bottom + 1;
				}).map(e => e.textContent),
			})`, &got)
			figures, points := 5, 4 // at -95 % there is no plan
			rows := len(r.Classes)
			switch name {
			case "late":
				figures, points = 0, 0
			case "fleet":
				figures, rows = 6, len(r.Fleet.Machines) // machines by hour come first
			}
			marks := len(r.Classes)
			if figures == 0 {
				marks = 0
			}
			if got.Figures != figures || got.Marks != marks || got.Rows != rows || got.Points != points ||
				got.Width > look.width || len(got.Outside) > 0 || got.Bold > 0 {
				t.Errorf("%s, %s: %+v", name, look.name, got)
			}
			b.Picture("capacity-" + name + "-" + look.name)
		}
		b.Quiet()
	}
}
