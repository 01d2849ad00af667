package conform

import (
	"flag"
	"slices"
	"strings"
	"testing"

	"github.com/slackline/slackline/internal/policies/compose"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// acts counts what the parts of policies have done in the games of a test, by their reasons: a part
// that does nothing in any of them was not tested. To refuse a job and to ask for a wake-up is not enough, nor to
// rank jobs again after each profile, but where that is all that a part does.
type acts struct {
	parts map[string]compose.Entry // by name
	done  map[string]int
	plays []compose.Entry // the parts of the policy that plays now
}

func newActs() *acts { return &acts{parts: map[string]compose.Entry{}, done: map[string]int{}} }

// of notes whose turn it is. An order plans nothing.
func (a *acts) of(p *compose.Policy) *acts {
	a.plays = nil
	for _, part := range p.Parts() {
		if part.Kind != compose.KindOrder && part.Name != "" {
			a.parts[part.Name] = part
			a.plays = append(a.plays, part)
		}
	}
	return a
}

func (a *acts) Batch(int64, units.Time, []sched.Event) error { return nil }

func (a *acts) Plan(_ int64, _ units.Time, p *sched.Plan) error {
	for i := range p.Items {
		it := &p.Items[i]
		switch {
		case it.Refused != sched.OK, it.Held, it.Verb == sched.WakeMe, it.Verb == sched.Reject:
			continue
		}
		ranks := it.Verb == sched.Rank && it.Reason.Cause == sched.PlaceChanged
		for k := range a.plays {
			if causes := a.plays[k].Causes; slices.Contains(causes, it.Reason.Cause) && (!ranks || len(causes) == 1) {
				a.done[a.plays[k].Name]++
			}
		}
	}
	return nil
}

// check finds the parts that did nothing where the world can do what they need. Who runs only some of the
// games learns nothing of that. Parts that another test sees to may be left out.
func (a *acts) check(t *testing.T, world string, can sched.Capabilities, but ...string) {
	t.Helper()
	if strings.Contains(flag.Lookup("test.run").Value.String(), "/") || testing.Short() { // then few games are played
		return
	}
	for name, part := range a.parts {
		lacks := func(v sched.Verb) bool { return !can.Can(v) }
		if a.done[name] == 0 && !slices.Contains(but, name) && !slices.ContainsFunc(slices.Concat(part.Needs, part.Wants), lacks) {
			t.Errorf("%s: the part %q did nothing in any game: this tests nothing", world, name)
		}
	}
}
