package promise

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/slackline/slackline/internal/kernel/drive"
	"github.com/slackline/slackline/internal/maths/finish"
	"github.com/slackline/slackline/internal/policies/compose"
	"github.com/slackline/slackline/internal/policies/estimate"
	"github.com/slackline/slackline/internal/worlds/sim"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// watcher holds what is told of promises to what becomes of them.
type watcher struct {
	t         *testing.T
	last      map[sched.JobID][3]units.Time // half, promised, told
	middle    map[sched.JobID][3]units.Time // the first of these that was told once the job had begun
	causes    map[*sched.Cause]int
	half      int // jobs that were done by then
	all, sure int
	told      int
}

func (w *watcher) Batch(_ int64, at units.Time, events []sched.Event) error {
	for i := range events {
		if e := &events[i]; e.Kind == sched.JobEnded && e.Outcome == sched.Committed {
			if m, there := w.middle[e.Job]; there {
				w.all++
				if at <= m[0] {
					w.half++
				}
				if at <= m[1] {
					w.sure++
				}
			}
			delete(w.middle, e.Job)
			delete(w.last, e.Job)
		}
	}
	return nil
}

func (w *watcher) Plan(_ int64, at units.Time, p *sched.Plan) error {
	for i := range p.Items {
		it := &p.Items[i]
		o := &it.Outlook
		is, was := [3]units.Time{o.Half, o.By, at}, w.last[it.Job]
		if it.Reason.Cause == estimate.Likely {
			w.last[it.Job] = is
		}
		if it.Verb != sched.Foretell {
			continue
		}
		w.causes[it.Reason.Cause]++
		w.told++
		if o.Word != sched.Promised || o.Half > o.Ninety || o.Ninety > o.By || o.Half < at || o.Confidence != 950_000 {
			w.t.Errorf("at %v job %d: %+v", at, it.Job, o)
		}
		if n := it.Reason.B; it.Reason.Cause == SlotsMoved && (n == 0 || max(n, -n) > 3) { // a node has two and one
			w.t.Errorf("at %v %d slots came", at, n)
		}
		far := max(is[0].Sub(was[0]), was[0].Sub(is[0]), is[1].Sub(was[1]), was[1].Sub(is[1]))
		if far <= units.Second || far <= was[1].Sub(was[2])/10 {
			w.t.Errorf("at %v job %d moved by %v only, of %v left at %v", at, it.Job, far, was[1].Sub(was[2]), was[2])
		}
		if at.Sub(was[2]) < units.Second {
			w.t.Errorf("at %v job %d was told again after %v", at, it.Job, at.Sub(was[2]))
		}
		if _, there := w.middle[it.Job]; !there && it.Reason.Cause == TasksMoved {
			w.middle[it.Job] = is
		}
		w.last[it.Job] = is
	}
	return nil
}

// What is told of a promise while its job waits and runs comes true as often as it says, is told when it
// has moved enough and not else, and says why: jobs before it, its own tasks, nodes that go.
func TestOutlooksComeTrue(t *testing.T) {
	w := &watcher{t: t, last: map[sched.JobID][3]units.Time{}, middle: map[sched.JobID][3]units.Time{}, causes: map[*sched.Cause]int{}}
	config := usual
	config.Most, config.Behind = 50_000, true
	for seed := range uint64(40) {
		cfg := chancy(seed+1, 0.4, 0.2, 0)
		if seed%4 == 0 {
			cfg.Sizes = []sim.SizeStep{{At: 200 * units.Time(units.Second), Nodes: 3}, {At: 400 * units.Time(units.Second), Nodes: 4}}
		}
		world, err := sim.New(cfg)
		if err != nil {
			t.Fatal(err)
		}
		recipe := compose.Recipe{Name: "promise"}
		assemble(&recipe, newScheduler(config))
		policy, err := compose.New(recipe)
		if err != nil {
			t.Fatal(err)
		}
		if err := drive.New(world, policy, w).Run(context.Background()); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("told %d times; of %d jobs %d were done by what half would be, %d by what 95 %% would be; %v", w.told, w.all, w.half, w.sure, w.causes)
	for _, c := range []*sched.Cause{Overtaken, SlotsMoved, TasksMoved, WidthMoved, AheadMoved} {
		if w.causes[c] == 0 {
			t.Errorf("nothing moved for the reason %q", c.Name)
		}
	}
	if w.all < 100 || w.half < w.all*35/100 || w.half > w.all*65/100 || w.sure < w.all*90/100 {
		t.Errorf("of %d jobs %d were done by what half would be, %d by what 95 %% would be", w.all, w.half, w.sure)
	}
}

// Whether an outlook stays is asked without finding it, and the answer is what finding it says, to the
// millisecond. Half of all such jobs may be done before what is expected on the average.
func TestOutlooksStayWhereFindingThemSaysSo(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	said, sooner := [2]int{}, 0
	for range 20_000 {
		d := finish.LogNormal(0.05 + r.Float64())
		d = d.Scale(math.Exp(6 * r.Float64()))
		d = d.Shift(-d.Mean())
		o := &odds{Most: finish.RiskOf(0.01), Deviation: &d, Sure: d.Quantile(1 - 1e-7)}
		now, expected := units.Time(units.Hour), units.Time(units.Hour).Add(units.FromSeconds(300*r.Float64()))
		variance, part := math.Exp(8*r.Float64())*float64(r.IntN(2)), 1-0.99*r.Float64()*float64(r.IntN(2))
		is := o.outlook(now, expected, variance, part)
		if is.Half < expected {
			sooner++
		}
		was := o.outlook(now, expected, variance, 1)
		for _, at := range []*units.Time{&was.Half, &was.By} {
			*at = at.Add(units.FromSeconds(8 * r.NormFloat64()))
		}
		was.Told = now.Add(-units.Minute)
		stays := o.stays(&was, now, expected, variance, part)
		least := was.least()
		near := func(a, b units.Time) bool { // the border
			off := a.Sub(b)
			return max(off, -off) > least-2*units.Millisecond && max(off, -off) < least+2*units.Millisecond
		}
		if near(is.Half, was.Half) || near(is.By, was.By) {
			continue
		}
		_, far := is.moved(&was)
		if stays == far {
			t.Fatalf("stays: %v, far: %v; is %+v, was %+v, expected %v, variance %v, part %v", stays, far, is, was, expected, variance, part)
		}
		if far {
			said[1]++
		} else {
			said[0]++
		}
	}
	if min(said[0], said[1]) < 1000 || sooner < 10_000 {
		t.Errorf("%d stay, %d are far, half of the jobs done before what is expected in %d: this test tests little", said[0], said[1], sooner)
	}
}
