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
