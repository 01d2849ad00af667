package page

import (
	"strings"
	"testing"

	"github.com/slackline/slackline/internal/studies/report"
)

// The page says of a run of vcores how much of them was in use, and has a dash where there were no slots; a run of slots has no vcores.
func TestBrowserTellsUse(t *testing.T) {
	b := newBrowser(t)
	_, _, slotted := play(t, "fifo")
	cores := *slotted.Runs[0]
	cores.Policy = "cores"
	half := 0.5
	cores.Summary.MapUtilization, cores.Summary.MapSlots, cores.Summary.ReduceUtilization, cores.Summary.ReduceSlots = 0, 0, 0, 0
	cores.Summary.CoreUtilization, cores.Summary.Cores = &half, 8
	tell := func(r *report.Report, from string) string {
		b.open(save(t, write(t, &Page{}, r)))
		var text string
		b.eval(`[...document.querySelectorAll('`+from+`')].map(e => e.textContent.trim().replace(/\s+/g, ' ')).join(', ')`, &text)
		return text
	}
	if got := tell(report.New(&cores), "#tiles div"); !strings.Contains(got, "map slots–in use, reduce slots–in use, vcores50 %in use") {
		t.Errorf("tiles: %s", got)
	}
	if got := tell(slotted, "#tiles div"); strings.Contains(got, "vcores") || strings.Contains(got, "–") {
		t.Errorf("tiles of a run of slots: %s", got)
	}
	if got := tell(report.New(slotted.Runs[0], &cores), "#runs tr"); !strings.Contains(got, "vcores") || !strings.Contains(got, "––50 %") {
		t.Errorf("table: %s", got)
	}
}
