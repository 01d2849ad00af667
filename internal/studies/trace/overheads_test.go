package trace

import (
	"testing"

	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// A job of three maps with room for one, and one with room for all: what lies between an end and the next start on the
// node is the launch and half of the time between two reports.
func TestOverheads(t *testing.T) {
	s := units.Second
	needs := units.Vector{units.Memory: int64(units.GB), units.VCores: 1}
	on := func(host string, from, to units.Duration) RanTask {
		return RanTask{Kind: workload.Map, Host: host, Start: from, End: to}
	}
	jobs := []*Job{
		{Ran: &Ran{Began: 2 * s, Master: 6 * s, Needs: needs, Tasks: []RanTask{on("a", 8*s, 18*s), on("b", 8*s, 18*s), on("a", 20*s, 30*s), on("a", 33*s, 43*s)}}},
		{Ran: &Ran{Began: UnknownTime, Master: UnknownTime}},
		{Ran: &Ran{Began: 4 * s, Master: 8 * s, Needs: needs, Tasks: []RanTask{on("a", 12*s, 20*s), on("a", 12*s, 21*s)}}},
		{},
	}
	want := Overheads{Master: 10*s - 2*s - s, Needs: needs, Launch: 5*s/2 - s/2}
	if o := OverheadsOf(jobs, s); o != want {
		t.Errorf("%+v, want %+v", o, want)
	}
	if o := OverheadsOf(nil, s); o != (Overheads{}) {
		t.Errorf("of nothing: %+v", o)
	}
}

// One task more than the node has cores is seen; one that begins as another ends takes its core.
func TestUncounted(t *testing.T) {
	s := units.Second
	on := func(from, to units.Duration) RanTask {
		return RanTask{Kind: workload.Map, Host: "a", Start: from, End: to}
	}
	c := Cluster{Nodes: []ClusterNode{{Host: "b"}, {Host: "a", Has: units.Vector{units.VCores: 2}}}}
	jobs := []*Job{{}, {Ran: &Ran{Submitted: 1000, Tasks: []RanTask{on(0, 5*s), on(0, 9*s), on(5*s, 8*s)}}}}
	if host := c.Uncounted(jobs); host != "" {
		t.Errorf("%q has no more than it holds", host)
	}
	jobs = append(jobs, &Job{Ran: &Ran{Submitted: 9000, Tasks: []RanTask{on(0, 2*s)}}}) // until 9 s two others run
	jobs[1].Stages = []Stage{{Kind: workload.Map, Needs: units.Vector{units.VCores: 1}}}
	if host := c.Uncounted(jobs); host != "" {
		t.Errorf("%q has no more than it holds", host)
	}
	jobs[2].Ran.Submitted = 8500
	if host := c.Uncounted(jobs); host != "a" {
		t.Errorf("%q takes three of two", host)
	}
}
