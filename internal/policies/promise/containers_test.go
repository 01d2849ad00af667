package promise

import (
	"testing"

	"github.com/slackline/slackline/cluster"
	"github.com/slackline/slackline/internal/policies/policytest"
	"github.com/slackline/slackline/internal/policies/queues"
	"github.com/slackline/slackline/profile"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// gigabytes is a node with so many, and as many cores as nobody lacks.
func gigabytes(n int) *sched.Detail {
	return &sched.Detail{Node: &cluster.Node{Name: "n", Class: &cluster.Class{Name: "n", Speed: 1,
		Capacity: units.Vector{units.Memory: int64(n) * int64(units.GB), units.VCores: 100}}}}
}

// takes is a job of so many maps of ten seconds, each of which takes so much memory.
func takes(id, queue string, maps, gb, deadline int) *workload.Job {
	j := policytest.Claims(id, maps, deadline)
	j.Queue = queue
	j.Stages[0].Containers = []cluster.Container{{Name: "map", Needs: units.Vector{units.Memory: int64(gb) * int64(units.GB), units.VCores: 1}}}
	return j
}

// expected begins with two nodes of 8 GB and these jobs, and says when each is expected, in seconds.
func expected(t *testing.T, c Config, bounds bool, jobs ...*workload.Job) (ends []float64, d *desk) {
	t.Helper()
	d = newDesk(t, c)
	d.Book.World().Bounds = bounds
	events := policytest.Opening(jobs...)
	events[0].Detail = gigabytes(8)
	events[1].Detail.Profile.Models = []*profile.Model{{Key: profile.Key{Stage: sched.Map, Part: profile.Run}, Fixed: 10,
		Own: profile.LogNormal(1e-3), Shared: profile.LogNormal(1e-3), Total: profile.LogNormal(1e-3), Tasks: 1000, Jobs: 100}}
	d.At(0, append(events, sched.Event{Kind: sched.NodeUp, Node: 2, Detail: gigabytes(8)})...)
	for i := range jobs {
		ends = append(ends, d.s.jobs[i+1].End.At.Seconds())
	}
	return ends, d
}

// Where nodes have memory and cores, containers of any size are promised, each by as many of them as
// fit on the nodes.
func TestContainersOfAnySize(t *testing.T) {
	for _, c := range []struct{ maps, gb, rounds int }{{16, 1, 1}, {17, 1, 2}, {8, 2, 1}, {4, 3, 1}, {5, 3, 2}, {2, 8, 1}, {4, 8, 2}} {
		ends, d := expected(t, usual, false, takes("j1", "", c.maps, c.gb, 1000))
		if want := 10 * float64(c.rounds); ends[0] < want-0.1 || ends[0] > want+0.1 {
			t.Errorf("%d maps of %d GB are expected after %v s, want %v", c.maps, c.gb, ends[0], want)
		}
		if d.told(1).Word != sched.Promised {
			t.Errorf("%d maps of %d GB are promised %v", c.maps, c.gb, d.told(1))
		}
	}
	ends, d := expected(t, usual, false, takes("j1", "", 4, 9, 1000)) // no node is so large
	if d.told(1).Word == sched.Promised {
		t.Errorf("what fits nowhere is promised, after %v s", ends[0])
	}
	// Two jobs of unlike containers: the second takes what the first leaves.
	ends, _ = expected(t, usual, false, takes("j1", "", 6, 2, 900), takes("j2", "", 4, 1, 1000), takes("j3", "", 1, 1, 2000))
	for i, want := range []float64{10, 10, 20} {
		if ends[i] < want-0.1 || ends[i] > want+0.1 {
			t.Errorf("job %d is expected after %v s, want %v", i+1, ends[i], want)
		}
	}
}

// Who asks between the coming of a node and the next look is told what a job is told that comes then.
func TestAskedOfNodesThatCame(t *testing.T) {
	_, d := expected(t, usual, false, takes("j1", "", 100, 2, 1000), takes("j2", "", 100, 4, 1000))
	d.At(0, sched.Event{Kind: sched.NodeUp, Node: 3, Detail: gigabytes(16)})
	job := takes("j3", "", 20, 1, 1000)
	asked := admission{d.s}.Ask(d.Book, sched.Asked(d.Book, job))
	if d.At(0, arrives(3, job)); asked.Outlook != d.told(3) {
		t.Errorf("who asks is told %+v, and who comes %+v", asked.Outlook, d.told(3))
	}
}

// A promise is judged by what the queue of the job may have, which its jobs share, where the world
// keeps it within that.
func TestAQueueHasItsMaximum(t *testing.T) {
	c := usual
	c.Queues = queues.Config{Queues: []queues.Queue{{Name: "a", Capacity: 75},
		{Name: "b", Capacity: 25, Maximum: 25, Queues: []queues.Queue{{Name: "x", Capacity: 50}, {Name: "y", Capacity: 50}}}}}
	jobs := []*workload.Job{takes("j1", "root.b.x", 8, 1, 900), takes("j2", "y", 8, 1, 1000), takes("j3", "a", 12, 1, 2000)}
	for bounds, want := range map[bool][]float64{false: {10, 10, 20}, true: {20, 40, 10}} {
		ends, _ := expected(t, c, bounds, jobs...)
		if bounds {
			want[2] = 20 // behind the others as far as the cluster goes
		}
		for i := range want {
			if ends[i] < want[i]-0.1 || ends[i] > want[i]+0.1 {
				t.Errorf("bounds %v: job %d is expected after %v s, want %v", bounds, i+1, ends[i], want[i])
			}
		}
	}
	_, d := expected(t, c, true, takes("j1", "b.x", 8, 1, 15))
	if d.told(1).Word == sched.Promised {
		t.Error("a job is promised to be done within 15 s by a queue in which it takes 20")
	}
}

// What a queue has beyond its capacity, and those above it beyond theirs, is not counted where it may be taken back.
func TestAPreemptedQueueHasItsCapacity(t *testing.T) {
	for preempted, promised := range map[bool]bool{false: true, true: false} {
		c := usual
		c.Queues = queues.Config{Queues: []queues.Queue{{Name: "a", Capacity: 50}, {Name: "b", Capacity: 50,
			Queues: []queues.Queue{{Name: "x", Capacity: 50, Preempted: preempted}, {Name: "y", Capacity: 50}}}}}
		_, d := expected(t, c, true, takes("j1", "b.x", 8, 1, 15))
		if got := d.told(1).Word == sched.Promised; got != promised {
			t.Errorf("preempted %v: promised %v", preempted, got)
		}
	}
}

// Where there are slots, the reduces of a job wait for maps that its queue holds up: of four slots
// it has all, two, or one.
func TestReducesWaitForMapsOfABoundedQueue(t *testing.T) {
	for rounds, maximum := range map[int]float64{1: 100, 2: 50, 4: 25} {
		c := usual
		c.Queues = queues.Config{Queues: []queues.Queue{{Name: "a", Capacity: 75}, {Name: "b", Capacity: 25, Maximum: maximum}}}
		d := newDesk(t, c)
		d.Book.World().Bounds = true
		job := policytest.Claims("j1", 4, 1000)
		job.Queue = "b"
		job.Stages = append(job.Stages, workload.StageSpec{Kind: workload.Reduce, Tasks: make([]workload.Task, 1)})
		events := policytest.Opening(job)
		events[0].Detail = &sched.Detail{Node: &cluster.Node{Name: "n", Class: &cluster.Class{Name: "n", Speed: 1, Capacity: units.Slots(4, 4)}}}
		d.At(0, events...)
		p := &d.s.places[0]
		alone := p.mean[0].Seconds()
		if got := d.s.pools[reduceSlots].spans[p.at[1]].ready.Seconds(); got < alone*(float64(rounds)-0.01) || got > alone*(float64(rounds)+0.01) {
			t.Errorf("maximum %v %%: the reduce may start after %v s, and a map takes %v s", maximum, got, alone)
		}
	}
}
