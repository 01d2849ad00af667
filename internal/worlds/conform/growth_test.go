package conform

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"reflect"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"github.com/slackline/slackline/cluster"
	"github.com/slackline/slackline/internal/kernel/drive"
	"github.com/slackline/slackline/internal/kernel/follow"
	"github.com/slackline/slackline/internal/kernel/journal"
	"github.com/slackline/slackline/internal/policies/catalog"
	"github.com/slackline/slackline/internal/policies/compose"
	"github.com/slackline/slackline/internal/worlds/sim"
	"github.com/slackline/slackline/profile"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// shortJobs brings many short jobs, one by one, so that no more than a few hundred are there at a
// time: of users who come and go, some behind others, some with containers like nobody else's, some
// with a deadline.
type shortJobs struct {
	n, of int
	odd   bool // containers of all sizes
	every units.Duration
}

func (s *shortJobs) Due() units.Time {
	if s.n == s.of {
		return units.Never
	}
	return units.Time(s.n) * units.Time(s.every)
}

func (s *shortJobs) Next() (*workload.Job, error) {
	at := s.Due()
	s.n++
	n := s.n
	j := &workload.Job{ID: fmt.Sprint("j", n), Class: fmt.Sprint("c", n%3), Queue: fmt.Sprint("q", n/40), User: fmt.Sprint("u", n/7), Arrive: at,
		Deadline: units.Never, Soft: units.Never, Weight: 1, SlowStart: 1, Stages: []workload.StageSpec{
			{Kind: workload.Map, Tasks: []workload.Task{{Input: units.MB, Work: units.Second}}},
			{Kind: workload.Reduce, Tasks: []workload.Task{{Work: 500 * units.Millisecond}}}}}
	if n%2 == 0 {
		j.Deadline = at.Add(20 * units.Second)
	}
	if n%5 == 0 && n > 3 {
		j.After = []string{fmt.Sprint("j", n-1), fmt.Sprint("j", n-3)}
	}
	if s.odd {
		needs := units.Vector{units.VCores: 1, units.Memory: int64(100*units.MB) + int64(n)}
		for i := range j.Stages {
			j.Stages[i].Containers = []cluster.Container{{Name: "odd", Needs: needs}}
		}
	}
	return j, nil
}

func (s *shortJobs) Ended(*workload.Job, units.Time) {}

// long plays so many short jobs under a policy, and calls when as soon as so many have come.
func long(t testing.TB, policy string, odd bool, jobs int, when map[int]func(l *drive.Loop)) {
	t.Helper()
	longer(t, policy, odd, jobs, when, func(w drive.World) drive.World { return w })
}

// longer is long in a world that is made of the simulator, with sinks.
func longer(t testing.TB, policy string, odd bool, jobs int, when map[int]func(l *drive.Loop), in func(drive.World) drive.World, sinks ...drive.Sink) {
	t.Helper()
	class := &cluster.Class{Name: "c", Speed: 1, Capacity: units.Vector{units.MapSlots: 4, units.ReduceSlots: 4, units.VCores: 8, units.Memory: int64(4 * units.GB)}}
	c := &cluster.Cluster{Racks: 2, Classes: []*cluster.Class{class}}
	for n := range 6 {
		c.Nodes = append(c.Nodes, &cluster.Node{Name: fmt.Sprint("n", n), Rack: cluster.RackID(1 + n%2), Class: class})
	}
	var known []*profile.Class
	for i := range 3 {
		k := profile.New(fmt.Sprint("c", i))
		k.Attempt(workload.Map, "c", units.MB, units.Second, 0)
		k.Attempt(workload.Reduce, "c", 0, 500*units.Millisecond, 0)
		known = append(known, k)
	}
	source := &shortJobs{of: jobs, odd: odd, every: 200 * units.Millisecond}
	if strings.Contains(policy, "serial") || strings.Contains(policy, "edf-n") { // one at a time
		source.every = 12 * units.Second
	}
	w, err := sim.New(sim.Config{Cluster: c, Source: func() workload.Source { return source }, Recent: recent(), Seed: 1, Heartbeat: units.Second, Replicas: 2, Progress: units.Second, Profiles: known,
		Failures: sim.Failures{Rate: 0.01}})
	if err != nil {
		t.Fatal(err)
	}
	p, err := catalog.New(policy, pools())
	if err != nil {
		t.Fatal(err)
	}
	l := drive.New(in(w), p, sinks...)
	at := 0
	for {
		if err := l.Step(context.Background()); err != nil {
			if at < jobs {
				t.Fatalf("after %d jobs: %v", at, err)
			}
			return
		}
		for ; at < source.n; at++ {
			if do := when[at+1]; do != nil {
				do(l)
			}
		}
	}
}

// What book, policy and simulator hold does not grow with the number of jobs that ever were:
// measured by what can be reached from them, the largest of several looks early and late, each over the 20 minutes in
// which slack forgets what could not wait: how many jobs are there at once goes up and down with that.
func TestNothingGrows(t *testing.T) {
	const looks, early, late = 8, 4000, 16000
	texts := []string{"fair(users=true)", "fair(preemption=true,fair_timeout=20s)", "capacity(elastic=false)", "fair+limit(running=20,per_user=2,per_queue=9)"}
	for _, e := range catalog.All() {
		switch e.Kind {
		case compose.KindPreempt:
			e.Name = "fair+" + e.Name
		}
		if e.Name == "rds" {
			e.Name = "rds(interval=2s,solver=500ms)" // jobs come every 200 ms
		}
		texts = append(texts, e.Name)
	}
	for _, text := range texts {
		for _, odd := range []bool{false, true} {
			if odd && (strings.Contains(text, "rtmr") || strings.Contains(text, "promise")) {
				continue // it takes slots alone
			}
			t.Run(fmt.Sprintf("%s odd=%v", text, odd), func(t *testing.T) {
				if odd && !fuller() {
					t.Skip("one kind of containers will do in a hurry")
				}
				var least, most int
				when := map[int]func(*drive.Loop){}
				for k := range looks {
					when[early+797*k] = func(l *drive.Loop) { least = max(least, reach(l)) }
					when[late-797*k] = func(l *drive.Loop) { most = max(most, reach(l)) }
				}
				long(t, text, odd, late, when)
				if most > least+least/20 {
					t.Errorf("%d bytes after %d jobs, %d after %d", least, early, most, late)
				}
			})
		}
	}
}

// classy is a world in which each job has a class of its own, of which it teaches something when it comes.
type classy struct{ drive.World }

func (w classy) Next(ctx context.Context) (drive.Batch, error) {
	b, err := w.World.Next(ctx)
	var events []sched.Event
	for _, e := range b.Events {
		if e.Kind == sched.JobArrived {
			c := profile.New(e.Detail.Job.ID)
			c.Attempt(workload.Map, "c", units.MB, units.Second, 0)
			events = append(events, sched.Event{Kind: sched.ProfileLearned, Detail: &sched.Detail{Profile: c}})
		}
	}
	b.Events = append(events, b.Events...)
	slices.SortStableFunc(b.Events, func(a, b sched.Event) int { return cmp.Compare(a.Kind, b.Kind) })
	return b, err
}

// Nor does it grow where each job has a class of its own.
func TestClassesDoNotGrow(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes seconds")
	}
	const early, late = profile.MostClasses + 2000, 2*profile.MostClasses + 8000
	least, most := 0, 0
	when := map[int]func(*drive.Loop){
		early: func(l *drive.Loop) { least = reach(l) },
		late:  func(l *drive.Loop) { most = reach(l) },
	}
	longer(t, "fifo", false, late, when, func(w drive.World) drive.World { return classy{w} })
	if least < profile.MostClasses*100 || most > least+least/20 {
		t.Errorf("%d bytes after %d jobs, %d after %d", least, early, most, late)
	}
}

// totals counts what a follower has resolved, and keeps none of it.
type totals struct {
	follow.Single
	ended, jobs int
}

func (n *totals) Batch(_ units.Time, records []follow.Record) error {
	for i := range records {
		switch e := &records[i]; e.Kind {
		case sched.Ended:
			n.ended++
		case sched.JobEnded:
			n.jobs++
		}
	}
	return nil
}

// With a journal and a follower the heap after ten million short jobs is what it was after one
// million, within a twentieth, and so is the resident memory, where the system tells it. In the
// gate a hundredth of that or less, and the heap alone, as so early the resident memory follows the garbage
// collector.
func TestHeap(t *testing.T) {
	jobs := map[string]int{"fifo": 100_000, "fair(users=true)": 100_000, "rtmr": 40_000, "promise": 40_000}
	if !fuller() {
		t.Skip("it takes a minute")
	}
	for text, n := range jobs {
		t.Run(text, func(t *testing.T) {
			count, whole := &totals{}, os.Getenv("SLACKLINE_LONG") != ""
			if whole {
				n = 10_000_000
			}
			can := sched.Capabilities{World: "sim", Bind: true, Kill: true, Heartbeat: units.Second}
			j, err := journal.NewWriter(io.Discard, journal.Header{World: can, Policy: text})
			if err != nil {
				t.Fatal(err)
			}
			var heap, resident [2]uint64
			look := func(k int) func(*drive.Loop) {
				return func(l *drive.Loop) {
					var m runtime.MemStats
					// What garbage had taken goes back to the system, so that its share of the
					// resident memory does not depend on how busy the machine is.
					runtime.GC()
					debug.FreeOSMemory()
					runtime.ReadMemStats(&m)
					heap[k], resident[k] = max(heap[k], m.HeapAlloc), max(resident[k], vmRSS())
					runtime.KeepAlive(l)
				}
			}
			when := map[int]func(*drive.Loop){}
			for k := range 8 {
				when[n/10+97*k], when[n-97*k] = look(0), look(1)
			}
			longer(t, text, false, n, when, func(w drive.World) drive.World { return w }, j, follow.New(count))
			t.Logf("after %d jobs %d bytes of heap, %d resident; after %d jobs %d and %d", n/10, heap[0], resident[0], n, heap[1], resident[1])
			if heap[1] > heap[0]+heap[0]/20 {
				t.Errorf("%d bytes after %d jobs, %d after %d", heap[0], n/10, heap[1], n)
			}
			if whole && resident[1] > resident[0]+resident[0]/20 {
				t.Errorf("%d bytes are resident after %d jobs, %d after %d", resident[0], n/10, resident[1], n)
			}
			if count.jobs < n || count.ended < 2*n {
				t.Errorf("the follower saw %d of %d jobs end: this tests nothing", count.jobs, n)
			}
		})
	}
}

// vmRSS is how many bytes of the process are resident, 0 where the system does not tell.
func vmRSS() (bytes uint64) {
	text, _ := os.ReadFile("/proc/self/status")
	for line := range strings.Lines(string(text)) {
		if rest, is := strings.CutPrefix(line, "VmRSS:"); is {
			fmt.Sscan(rest, &bytes)
		}
	}
	return bytes << 10
}

// reach is how many bytes can be reached from a value: those that slices have room for, and of maps the entries.
func reach(v any) int {
	seen := map[uintptr]bool{}
	var of func(v reflect.Value) int
	of = func(v reflect.Value) (n int) {
		switch v.Kind() {
		case reflect.Pointer:
			if v.IsNil() || seen[v.Pointer()] {
				return 0
			}
			seen[v.Pointer()] = true
			return int(v.Type().Elem().Size()) + of(v.Elem())
		case reflect.Interface:
			if v.IsNil() {
				return 0
			}
			return of(v.Elem())
		case reflect.String:
			return v.Len()
		case reflect.Struct:
			for i := range v.NumField() {
				n += of(v.Field(i))
			}
		case reflect.Array:
			for i := range v.Len() {
				n += of(v.Index(i))
			}
		case reflect.Slice:
			n = v.Cap() * int(v.Type().Elem().Size())
			if flat(v.Type().Elem()) {
				return n
			}
			for i := range v.Len() {
				n += of(v.Index(i))
			}
		case reflect.Map:
			n = v.Len() * int(v.Type().Key().Size()+v.Type().Elem().Size())
			for it := v.MapRange(); it.Next(); {
				n += of(it.Key()) + of(it.Value())
			}
		}
		return n
	}
	return of(reflect.ValueOf(v))
}

// flat tells whether values of the type point to nothing.
func flat(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Struct:
		for i := range t.NumField() {
			if !flat(t.Field(i).Type) {
				return false
			}
		}
		return true
	case reflect.Array:
		return flat(t.Elem())
	case reflect.Pointer, reflect.Interface, reflect.String, reflect.Slice, reflect.Map, reflect.Func, reflect.Chan:
		return false
	}
	return true
}

// recent is how many jobs the simulator remembers for others to name: fewer than usual where it
// does not play more than these.
func recent() int {
	if os.Getenv("SLACKLINE_LONG") != "" {
		return 0
	}
	return 1000
}
