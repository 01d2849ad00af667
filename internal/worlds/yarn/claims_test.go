package yarn

import (
	"fmt"
	"testing"

	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// What an operator says of a queue holds for those below it; without a word nobody may claim anything.
func TestClaims(t *testing.T) {
	claims := Claims{
		"root.etl":       {Users: []string{"anna"}, Soonest: 2 * units.Minute, Weight: 3},
		"root.etl.night": {Users: []string{"*"}},
		"root.adhoc":     {Default: units.Hour},
	}
	barred := "user ben may claim neither a deadline nor a weight in the queue %s; submit it without"
	for _, c := range []struct {
		queue, user, tag, want string
	}{
		{"root.etl", "anna", "in:120", "2m10s 1"},
		{"etl", "anna", "in:120", "2m10s 1"},
		{"root.etl", "anna", "in:119", "in the queue root.etl a deadline leaves a job at least 2m; the tag in:120 would do"},
		{"root.etl", "anna", "weight:4", "in the queue root.etl the largest weight is 3"},
		{"root.etl", "ben", "in:120", fmt.Sprintf(barred, "root.etl")},
		{"root.etl", "ben", "weight:2", fmt.Sprintf(barred, "root.etl")},
		{"root.etl", "ben", "soft:9000000", fmt.Sprintf(barred, "root.etl")},
		{"root.etl", "ben", "vdl:9000000", fmt.Sprintf(barred, "root.etl")},
		{"root.etl", "anna", "vdl:129999", "in the queue root.etl a deadline leaves a job at least 2m; the tag in:120 would do"},
		{"root.etl", "ben", "class:x", "never 1"},
		{"root.etl.day", "ben", "in:120", fmt.Sprintf(barred, "root.etl.day")},
		{"root.etl.night", "ben", "in:1", "11s 1"},
		{"night", "ben", "in:1", "11s 1"},
		{"root.adhoc", "ben", "class:x", "1h10s 1"},
		{"root.adhoc", "ben", "in:9999", fmt.Sprintf(barred, "root.adhoc")},
		{"root.other", "ben", "in:60", fmt.Sprintf(barred, "root.other")},
	} {
		at := units.Time(0).Add(10 * units.Second)
		j := workload.Job{Queue: c.queue, User: c.user, Weight: 1, Arrive: at, Deadline: units.Never, Soft: units.Never}
		err := readTags(&j, []string{c.tag}, "", at, 0)
		if err == nil {
			err = claims.hold(&j)
		}
		got := fmt.Sprint(err)
		if err == nil {
			got = fmt.Sprint(j.Deadline, " ", j.Weight)
		}
		if got != c.want {
			t.Errorf("%s in %s with %s\ngot  %s\nwant %s", c.user, c.queue, c.tag, got, c.want)
		}
	}
	var none Claims
	if j := (workload.Job{Weight: 5, Deadline: 1}); none.hold(&j) != nil {
		t.Error("where no operator says anything somebody is barred")
	}
}
