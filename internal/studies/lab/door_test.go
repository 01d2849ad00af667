package lab

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/slackline/slackline/internal/studies/report"
	"github.com/slackline/slackline/internal/studies/scenario"
)

// drawnJobs is a scenario of so many jobs with deadlines, without chance. No reduce waits for maps: how far its
// shuffle is the simulator cannot tell when it begins from a book.
func drawnJobs(r *rand.Rand, n int) string {
	var b strings.Builder
	from := func(lo, hi int) int { return lo + r.IntN(hi-lo+1) }
	fmt.Fprintf(&b, "name: door\ncluster: {nodes: %d, racks: 2, map_slots: 2, reduce_slots: 1, heartbeat: %s, replicas: 2}\nworkload:\n  jobs:\n",
		from(2, 5), []string{"0s", "300ms", "3s"}[r.IntN(3)])
	at := 0
	for i := range n {
		at += r.IntN(3) * from(1000, 9000)
		after := ""
		if i > 0 && r.IntN(4) == 0 {
			after = fmt.Sprintf(", after: [j%d]", r.IntN(i))
		}
		fmt.Fprintf(&b, "    - {id: j%d, class: c%d, arrive: %dms, maps: %d, reduces: %d, map_time: %dms, shuffle_time: %dms, reduce_time: %dms, deadline: +%ds, user: u%d, slow_start: 1%s}\n",
			i, r.IntN(2), at, from(1, 9), from(0, 3), from(900, 20_000), from(0, 4000), from(900, 9000), from(10, 120), r.IntN(2), after)
	}
	return b.String()
}

func throughDoor(t *testing.T, text, policy string, at *Admission) *report.Run {
	t.Helper()
	s, err := scenario.Read("door.yaml", []byte(text))
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	c := Cells(s, []string{policy}, []uint64{1})[0]
	c.Admission = at
	run, err := Run(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	run.Summary.Time(0)
	run.Summary.EventsPerSec = 0
	return run
}

// Where all is known and nobody comes later, what is said of the last job when it comes is what then happens; to ask
// changes nothing of the run.
func TestDoorIsRightAboutTheLast(t *testing.T) {
	told := 0
	for seed := range uint64(40) {
		text := drawnJobs(rand.New(rand.NewPCG(seed, 7)), 6)
		for _, policy := range []string{"fifo", "edf-p", "fair", "capacity", "fifo+delay", "fair+matchmaking"} {
			plain, run := throughDoor(t, text, policy, nil), throughDoor(t, text, policy, &Admission{})
			last := &run.Jobs[len(run.Jobs)-1]
			switch {
			case last.Expected == nil:
				t.Errorf("seed %d, %s: nothing is said of the last job", seed, policy)
			case math.Abs(last.Submitted+last.Expected.Seconds-*last.Finished) > 1e-6:
				t.Errorf("seed %d, %s: the last job is said to be done at %v s, and is at %v s\n%s", seed, policy, last.Submitted+last.Expected.Seconds, *last.Finished, text)
			default:
				told++
			}
			if d := run.Door; d.Asked != 6 || d.InTime.InTime+d.InTime.Late+d.Late.InTime+d.Late.Late+d.Unknown != 6 {
				t.Errorf("seed %d, %s: %+v", seed, policy, d)
			}
			run.Door = nil
			for i := range run.Jobs {
				run.Jobs[i].Expected = nil
			}
			if d := cmp.Diff(plain, run); d != "" {
				t.Errorf("seed %d, %s: to be asked has changed the run:\n%s", seed, policy, d)
			}
		}
	}
	if told == 0 {
		t.Error("nothing was said: this tests nothing")
	}
}

const crowd = `name: door
cluster: {nodes: 2, map_slots: 2, reduce_slots: 1, heartbeat: 1s}
workload:
  jobs:
    - {id: a, class: sort, maps: 12, map_time: 20s, deadline: 2m}
    - {id: b, class: sort, arrive: 10s, maps: 4, map_time: 20s, deadline: +40s}
    - {id: c, class: sort, arrive: 10s, maps: 4, map_time: 20s, deadline: +260s}
    - {id: d, class: sort, arrive: 30s, maps: 4, map_time: 20s, deadline: +300s, after: [b]}
    - {id: e, class: sort, arrive: 130s, maps: 4, map_time: 20s}
`

// A job that would be late does not come in, nor who waits for it; the others have its room.
func TestDoorRefuses(t *testing.T) {
	run := throughDoor(t, crowd, "fifo", &Admission{Refuse: true})
	var came []string
	for i := range run.Jobs {
		came = append(came, run.Jobs[i].ID)
	}
	if got := fmt.Sprint(came, run.Door.Refused, run.Door.Asked, run.Summary.InTime, run.Summary.Deadlines, *run.Summary.DeadlineWork); got != "[a c e] [b d] 4 2 4 480" {
		t.Errorf("%s", got)
	}
	with := throughDoor(t, crowd, "fifo", &Admission{})
	if a, b := run.Jobs[1].Finished, with.Jobs[2].Finished; *a >= *b {
		t.Errorf("c is done at %v s without b, and at %v s with it", *a, *b)
	}
}

// After so many questions none is asked, and that is counted.
func TestDoorAsksNoMore(t *testing.T) {
	if d := throughDoor(t, crowd, "fair", &Admission{Most: 2}).Door; d.Asked != 2 || d.Passed != 2 {
		t.Errorf("%+v", d)
	}
}

// What chance adds is not known: of a job that is alone the door says what it would take without.
func TestDoorKnowsNoChance(t *testing.T) {
	const cluster = "name: door\ncluster: {nodes: 2, map_slots: 2, reduce_slots: 1, heartbeat: 1s"
	const jobs = "}\nworkload:\n  jobs:\n    - {id: a, class: sort, maps: 12, map_time: 20s, deadline: 2m}\n"
	sure := throughDoor(t, cluster+jobs, "fifo", nil)
	for _, chance := range []string{", task_times: {law: pareto, cv: 0.4}", ", stragglers: {rate: 0.5, factor: 5}", ", failure_rate: 0.3, max_failures: 20",
		", outages: [{node: n1, down: 5s, up: 90s}]", ", speed_steps: [{at: 5s, factor: 0.5}]", ", node_steps: [{at: 5s, nodes: 1}]"} {
		run := throughDoor(t, cluster+chance+jobs, "fifo", &Admission{})
		if got, want := run.Jobs[0].Expected.Seconds, *sure.Jobs[0].Finished; got != want {
			t.Errorf("%s: %v s are said, without it the job takes %v s", chance, got, want)
		} else if *run.Jobs[0].Finished == want {
			t.Errorf("%s changes nothing: this tests nothing", chance)
		}
	}
}
