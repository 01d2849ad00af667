package report

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
)

// Beside the number in time of those submitted stand the work in time, and what admission did; a
// column that says nothing is left out.
func TestOutcomeTable(t *testing.T) {
	due, early, late, work := 100.0, 90.0, 110.0, 1.0
	big := 9.0
	play := func(policy string, seed uint64, outcomes ...Outcome) *Run {
		r := &Run{World: "sim", Scenario: "s", Policy: policy, Seed: seed}
		for i, o := range outcomes {
			j := Job{ID: fmt.Sprint(i), Outcome: o, Deadline: &due, SoftDeadline: &due, TaskTime: &work, Admitted: o != Refused}
			switch {
			case o == Kept || o == Met:
				j.Finished = &early
			case o.Finished():
				j.Finished = &late
			}
			if o == Kept || o == Broken {
				j.Promised = &early
			}
			if i == 0 {
				j.TaskTime = &big
			}
			r.Jobs = append(r.Jobs, j)
		}
		r.Tally()
		return r
	}
	picky := play("picky", 1, Refused, Kept, Refused, Broken)
	greedy := play("greedy", 1, Met, Met, Late, Late)
	for _, c := range []struct {
		runs []*Run
		word string
		want string
	}{
		{[]*Run{picky, greedy}, "policy", "policy in time work in time accepted promises kept soft deadlines refused"},
		{[]*Run{picky, greedy}, "picky", "picky 1 of 4 8.3 % 2 of 4 1 of 2 1 of 4 2"},
		{[]*Run{picky, greedy}, "greedy", "greedy 2 of 4 83.3 % 4 of 4 – 2 of 4 0"},
		{[]*Run{greedy}, "policy", "policy in time work in time soft deadlines"},
		{[]*Run{picky, play("picky", 2, Kept, Kept, Kept, Kept)}, "picky", "picky 2.5 ± 19.1 of 4 54.2 % ± 582.4 % 3 ± 12.7 of 4 2.5 ± 19.1 of 3 2.5 ± 19.1 of 4 1 ± 12.7"},
		{[]*Run{play("x", 1, Unfinished, Failed, Killed)}, "policy", "policy in time work in time soft deadlines failed killed not finished"},
		{[]*Run{play("x", 1, Unfinished, Failed, Killed)}, "x", "x 0 of 3 0.0 % 0 of 3 1 1 1"},
	} {
		if got, _, _ := strings.Cut(line(t, New(c.runs...), c.word), " | "); got != c.want {
			t.Errorf("got  %s\nwant %s", got, c.want)
		}
	}
	picky.Jobs[0].TaskTime = nil
	picky.Tally()
	if got, _, _ := strings.Cut(line(t, New(picky), "policy"), " | "); strings.Contains(got, "work") {
		t.Errorf("nobody knows the work of one job: %s", got)
	}
	picky.Jobs[3].TaskTime = nil
	picky.Tally()
	var out bytes.Buffer
	if err := New(picky, greedy).WriteTable(&out); err != nil || strings.Count(out.String(), "part of the work in time") != 1 ||
		!strings.Contains(out.String(), "\npicky: the part of the work in time is not known: 1 refused job never ran, 1 job did not run here from start to end.\n") {
		t.Errorf("%v\n%s", err, &out)
	}
}

// Lists of promises and of refusals end after ten; the rest is a count. Broken promises come first,
// and refused jobs stand in their own list only.
func TestListsEnd(t *testing.T) {
	due, early, at := 100.0, 90.0, 130.0
	r := &Run{World: "sim", Scenario: "s", Policy: "p"}
	for i := range 60 {
		j := Job{ID: fmt.Sprintf("j%02d", i), Deadline: &due, Outcome: Refused, Reason: "no", Refusal: "alone-late"}
		switch {
		case i == 59:
			j = Job{ID: "j59", Deadline: &due, Outcome: Broken, Promised: &due, Finished: &at}
		case i >= 45:
			j = Job{ID: j.ID, Deadline: &due, Outcome: Kept, Promised: &due, Finished: &early}
		case i >= 30:
			j = Job{ID: j.ID, Deadline: &due, Outcome: Met, Admission: "nothing is known", Finished: &early}
		case i%5 == 0:
			j.Refusal = "unbounded"
		case i%3 == 0:
			j.Refusal = "breaks-promise"
		}
		r.Jobs = append(r.Jobs, j)
	}
	r.Tally()
	var out bytes.Buffer
	if err := New(r).WriteTable(&out); err != nil {
		t.Fatal(err)
	}
	_, promises, _ := strings.Cut(out.String(), "promises and their outcome")
	list, reasons, _ := strings.Cut(promises, "p: job")
	list, _, _ = strings.Cut(list, "p, promises as stated and as kept")
	if strings.Count(list, "\nj") != 11 || !strings.Contains(list, "\nj59  ") || !strings.Contains(list, "BROKEN by 30.0 s") || strings.Count(list, "  kept  ") != 9 || !strings.Contains(list, "… and 20 more; -o json has them all") {
		t.Errorf("%s", list)
	}
	if want := "p: … and 20 more; -o json has them all; of the 30 refused jobs, 16 would be late even alone, in the worst case, 6 have no known worst case\n"; strings.Count(reasons, "was refused: no") != 10 || !strings.HasSuffix(reasons, want) {
		t.Errorf("%s\nwant %s", reasons, want)
	}
}
