package promise

import (
	"fmt"
	"strings"
	"testing"

	"github.com/slackline/slackline/internal/maths/finish"
	"github.com/slackline/slackline/internal/policies/compose"
	"github.com/slackline/slackline/internal/policies/queues"
	"github.com/slackline/slackline/internal/policies/reserve"
	"github.com/slackline/slackline/internal/policies/reservetest"
	"github.com/slackline/slackline/profile"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

var usual = Config{Config: reserve.Config{BestEffort: true, Skew: 1, Masters: 0.1}, Most: 10_000, Behind: true}

// desk is the scheduler with its book.
type desk struct {
	*reservetest.Table
	s *scheduler
}

func newDesk(t *testing.T, c Config) *desk {
	t.Helper()
	s, recipe := newScheduler(c), compose.Recipe{Name: "promise"}
	assemble(&recipe, s)
	return &desk{reservetest.NewTable(t, recipe), s}
}

// chance is a desk with one slot, on which a map takes ten seconds, give or take a little.
func chance(t *testing.T) *desk {
	config := usual
	config.Most, config.Behind = 10_000, true
	d := newDesk(t, config)
	known := profile.New("c")
	known.At(sched.Map, "n").Task.Add(10)
	known.Models = []*profile.Model{{Key: profile.Key{Stage: sched.Map, Part: profile.Run}, Fixed: 10,
		Own: profile.LogNormal(0.01), Shared: profile.LogNormal(0.001), Total: profile.LogNormal(0.01), Tasks: 1000, Jobs: 100}}
	d.At(0, append(reservetest.Opening()[:1], sched.Event{Kind: sched.ProfileLearned, Detail: &sched.Detail{Profile: known}})...)
	return d
}

// comes lets jobs arrive, and returns what they are told, without numbers.
func (d *desk) comes(second int, first sched.JobID, jobs ...*workload.Job) string {
	var events []sched.Event
	for i, j := range jobs {
		events = append(events, sched.Event{Kind: sched.JobArrived, Job: first + sched.JobID(i), Detail: &sched.Detail{Job: j}})
	}
	var said []string
	for line := range strings.SplitSeq(d.At(second, events...), "; ") {
		verb, rest, _ := strings.Cut(line, " ")
		_, why, _ := strings.Cut(rest, "reason=")
		why, _, _ = strings.Cut(why, ":")
		said = append(said, verb+" "+why)
	}
	return strings.Join(said, ", ")
}

// line lists the jobs whose maps wait, in their order.
func (d *desk) line() (ids []string) {
	for j := d.Book.Waiting(sched.Map, 0); j != 0; j = d.Book.Waiting(sched.Map, j) {
		ids = append(ids, d.Book.Job(j).Spec.ID)
	}
	return ids
}

// A job with a probability is overtaken by one that is due before it, also when it has started.
func TestLikelyOvertakesWhatHasStarted(t *testing.T) {
	d := chance(t)
	if got := d.comes(0, 1, reservetest.Claims("long", 20, 1000)); got != "admit likely" {
		t.Fatal(got)
	}
	d.At(0, sched.Event{Kind: sched.Heartbeat, Node: 1})
	if it := d.Plan.Items[0]; it.Verb != sched.Start || it.Job != 1 {
		t.Fatalf("%+v", it)
	}
	if got := d.comes(1, 2, reservetest.Claims("short", 1, 40)); got != "admit likely" {
		t.Errorf("short: %s", got)
	}
	if got := fmt.Sprint(d.line()); got != "[short long]" {
		t.Errorf("they stand as %s", got)
	}
}

// Behind promises those go first that can still be in time, by deadline; the others by least work left.
func TestHope(t *testing.T) {
	d := chance(t)
	got := d.comes(0, 1, reservetest.Claims("promised", 10, 101), reservetest.Claims("large", 40, 300), reservetest.Claims("soon", 1, 30), reservetest.Claims("later", 2, 60), reservetest.Claims("small", 3, 20))
	if want := "admit likely, admit behind, admit behind, admit behind, admit behind"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	for _, c := range []struct {
		second int
		want   string
	}{{0, "[promised soon later small large]"}, {19, "[promised soon later small large]"},
		{21, "[promised later soon small large]"}, {39, "[promised later soon small large]"}, {41, "[promised soon later small large]"}} {
		d.At(c.second, sched.Event{Kind: sched.Tick})
		if got := fmt.Sprint(d.line()); got != c.want {
			t.Errorf("at %d s they stand as %s, want %s", c.second, got, c.want)
		}
	}
	if r := d.s.terms[2]; r.Means.Map < 9*units.Second || r.Means.Map > 11*units.Second {
		t.Errorf("its maps take %v", r.Means.Map)
	}
}

// Ends are told late where nobody waits for them, but not the end of a job's last map: its reduces are
// withheld until then, and would wait for the next job else.
func TestLastMapIsToldAtOnce(t *testing.T) {
	config := usual
	config.Most, config.Behind = 10_000, true
	cfg := chancy(3, 0.2, 0.1, 3*units.Second)
	for _, j := range cfg.Workload.Jobs {
		if len(j.Stages) == 2 && j.SlowStart == 0 {
			next := *j
			j.Deadline = j.Arrive.Add(units.Hour)
			next.ID, next.Arrive, next.Deadline = "next", j.Deadline.Add(units.Hour), j.Deadline.Add(2*units.Hour)
			cfg.Workload.Jobs = []*workload.Job{j, &next}
			break
		}
	}
	if k := playChancy(t, config, cfg); k.promises != 2 || k.broken != 0 {
		t.Errorf("%d promises, %d broken", k.promises, k.broken)
	}
}

// The confidence of a promise is the job's own, or else that of its queue, or of the policy.
func TestConfidence(t *testing.T) {
	s := newScheduler(Config{Most: 10_000, Queues: queues.Config{Queues: []queues.Queue{
		{Name: "a", Confidence: 0.95}, {Name: "b"}, {Name: "c", Queues: []queues.Queue{{Name: "d", Confidence: 0.9}}}}}})
	for _, c := range []struct {
		queue string
		own   float64
		want  finish.Risk
	}{{"", 0, 10_000}, {"a", 0, 50_000}, {"root.a", 0, 50_000}, {"b", 0, 10_000}, {"d", 0, 100_000}, {"c.d", 0, 100_000}, {"a", 0.999, 1000}} {
		job := &sched.Job{Spec: &workload.Job{Queue: c.queue, Confidence: c.own}}
		if got := s.mostOf(job); got != c.want {
			t.Errorf("%q, %v: %d, want %d", c.queue, c.own, got, c.want)
		}
	}
}
