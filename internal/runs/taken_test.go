package runs

import (
	"maps"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/slackline/slackline/internal/kernel/store"
)

// Of all jobs just those are found whose output is the directory, lies in it, or has it in it, by a comparison
// of their names one by one; and of jobs that are gone nothing is left.
func TestTaken(t *testing.T) {
	path := rapid.Custom(func(t *rapid.T) string {
		return "/" + strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "ab"}), 1, 4).Draw(t, "names"), "/")
	})
	rapid.Check(t, func(t *rapid.T) {
		taken, there := newTaken(), map[string]*keptJob{}
		for _, output := range rapid.SliceOfDistinct(path, rapid.ID).Draw(t, "outputs") {
			there[output] = &keptJob{row: store.Job{Output: output}}
			taken.add(there[output])
		}
		for output, j := range there {
			if rapid.Bool().Draw(t, "ended") {
				taken.remove(j)
				delete(there, output)
			}
		}
		asked := path.Draw(t, "asked")
		want, got := map[*keptJob]bool{}, map[*keptJob]bool{}
		for output, j := range there {
			if strings.HasPrefix(output+"/", asked+"/") || strings.HasPrefix(asked+"/", output+"/") {
				want[j] = true
			}
		}
		if taken.beside(asked, got); !maps.Equal(got, want) {
			t.Fatalf("beside %s there are %d jobs, want %d", asked, len(got), len(want))
		}
		for _, j := range there {
			taken.remove(j)
		}
		if len(taken.at)+len(taken.within) > 0 {
			t.Fatalf("left: %v, %v", taken.at, taken.within)
		}
	})
}

// A cancel is for the job of its number, not for a later one of the same name.
func TestCancelOfANumber(t *testing.T) {
	k := &Keeper{local: &Local{}, open: map[string]*keptJob{"a": {row: store.Job{ID: 2, Name: "a"}}}}
	for _, what := range []string{"1 a", "2 b", "a"} {
		if _, err := k.grant(store.Request{Verb: Cancel, What: what}); err == nil || !strings.HasSuffix(err.Error(), "has ended") {
			t.Errorf("%s: %v", what, err)
		}
	}
}
