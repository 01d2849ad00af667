package queues

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

func TestBadDescriptions(t *testing.T) {
	for want, c := range map[string]Config{
		`a bound on running jobs is negative`:                              {MaxRunning: -1},
		`a queue has no name`:                                              {Queues: []Queue{{}}},
		`a queue below "a" has no name`:                                    {Queues: []Queue{{Name: "a", Queues: []Queue{{}}}}},
		`queue "a.b": a name must not contain a dot`:                       {Queues: []Queue{{Name: "a.b"}}},
		`queue "a": it is described twice`:                                 {Queues: []Queue{{Name: "a"}, {Name: "a"}}},
		`queue "y.a": the queue "x.a" has the same name`:                   {Queues: []Queue{{Name: "x", Queues: []Queue{{Name: "a"}}}, {Name: "y", Queues: []Queue{{Name: "a"}}}}},
		`queue "a": weight is NaN`:                                         {Queues: []Queue{{Name: "a", Weight: math.NaN()}}},
		`queue "a": a minimum share is negative`:                           {Queues: []Queue{{Name: "a", MinReduces: -1}}},
		`queue "a": max_running is -2`:                                     {Queues: []Queue{{Name: "a", MaxRunning: new(-2)}}},
		`queue "a": max_master_share is 101`:                               {Queues: []Queue{{Name: "a", MaxMasterShare: 101}}},
		`queues: max_master_share is -1`:                                   {MaxMasterShare: -1},
		`"x": max_master_share has no effect on a queue with queues`:       {Queues: []Queue{{Name: "x", MaxMasterShare: 5, Queues: []Queue{{Name: "a"}}}}},
		`queue "a": jobs is "lifo", it must be "fair" or "fifo"`:           {Queues: []Queue{{Name: "a", Jobs: "lifo"}}},
		`queue "a": min_share_timeout is negative`:                         {Queues: []Queue{{Name: "a", MinShareTimeout: -1}}},
		`queue "a": capacity is 101`:                                       {Queues: []Queue{{Name: "a", Capacity: 101}}},
		`queue "a": maximum is 30 %, below its capacity of 40 %`:           {Queues: []Queue{{Name: "a", Capacity: 40, Maximum: 30}}},
		`queue "a": minimum_user_limit is -1`:                              {Queues: []Queue{{Name: "a", MinimumUserLimit: -1}}},
		`queue "a": user_limit_factor is -2`:                               {Queues: []Queue{{Name: "a", UserLimitFactor: -2}}},
		`queue "a": min_share_timeout has no effect without a`:             {Queues: []Queue{{Name: "a", MinShareTimeout: 1}}},
		`queue "a": user_limit_factor has no effect without a`:             {Queues: []Queue{{Name: "a", UserLimitFactor: 2}}},
		`undeclared_queues is "maybe", it must be "refuse"`:                {Undeclared: "maybe"},
		`the capacities add up to 110 %, which is more than 100`:           {Queues: []Queue{{Name: "a", Capacity: 60}, {Name: "b", Capacity: 50}}},
		`the capacities below "x" add up to 120 %, which is more than 100`: {Queues: []Queue{{Name: "x", Queues: []Queue{{Name: "a", Capacity: 60}, {Name: "b", Capacity: 60}}}}},
	} {
		if err := c.Validate(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	good := Config{Queues: []Queue{{Name: "x", Capacity: 100, Queues: []Queue{{Name: "a", Capacity: 33.3}, {Name: "b", Capacity: 66.7, UserLimitFactor: -1}}}}}
	if err := good.Validate(); err != nil {
		t.Error(err)
	}
}

func TestQueueOfAJob(t *testing.T) {
	for queue, want := range map[string]string{"": Default, "root.": Default, "a": "a", "root.a.b": "a.b", "a.b": "a.b"} {
		if got := Of(&workload.Job{Queue: queue}); got != want {
			t.Errorf("%q stands in %q, want %q", queue, got, want)
		}
	}
}

// Where queues are described, a job stands in a leaf of them or is told so.
func TestQueuesThatNobodyDeclared(t *testing.T) {
	tree := []Queue{{Name: "prod"}, {Name: "research", Queues: []Queue{{Name: "vision"}, {Name: "speech"}}}}
	refuse, allow := Config{Queues: tree}, Config{Queues: tree, Undeclared: Allow}
	defaults := Config{Queues: []Queue{{Name: Default}}}
	for _, c := range []struct {
		config Config
		queue  string
		want   string // "" = a job can stand there
	}{
		{refuse, "prod", ""},
		{refuse, "root.prod", ""},
		{refuse, "vision", ""},
		{refuse, "research.vision", ""},
		{refuse, "root.research.vision", ""},
		{refuse, "prd", `there is no queue "prd"; did you mean "prod"?`},
		{refuse, "research.vison", `there is no queue "research.vison"; did you mean "research.vision"?`},
		{refuse, "batch", `there is no queue "batch"; there are: prod, speech, vision`},
		{refuse, "prod.vision", `there is no queue "prod.vision"; there are: prod, research.speech, research.vision`},
		{refuse, "", `no queue is named, and there is no queue "default"; there are: prod, speech, vision`},
		{refuse, "research", `jobs belong in the queues below "research", not in it: research.vision, research.speech`},
		{allow, "research", `jobs belong in the queues below "research", not in it`},
		{allow, "prd", ""},
		{allow, "", ""},
		{defaults, "", ""},
		{Config{}, "prd", ""},
		{Config{MaxRunningPerQueue: 1}, "prd", ""},
	} {
		err := c.config.Check(c.queue)
		if (err == nil) != (c.want == "") || err != nil && !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%q: %v, want %s", c.queue, err, c.want)
		}
	}
}

func TestMinShares(t *testing.T) {
	for _, c := range []struct {
		q                Queue
		shares, timeouts bool
	}{
		{Queue{Name: "a"}, false, false},
		{Queue{Name: "a", MinReduces: 1}, true, false},
		{Queue{Name: "a", MinMaps: 1, MinShareTimeout: 1}, true, true},
		// only leaves are pools
		{Queue{Name: "a", MinMaps: 1, MinShareTimeout: 1, Queues: []Queue{{Name: "b"}}}, false, false},
		{Queue{Name: "a", Queues: []Queue{{Name: "b", MinMaps: 1}}}, true, false},
	} {
		shares, timeouts := (&Config{Queues: []Queue{{Name: "z"}, c.q}}).MinShares()
		if shares != c.shares || timeouts != c.timeouts {
			t.Errorf("%+v: %v, %v", c.q, shares, timeouts)
		}
	}
}

func TestSpansCarryTheirUnit(t *testing.T) {
	var q Queue
	if err := json.Unmarshal([]byte(`{"name":"a","min_share_timeout":"5m"}`), &q); err != nil || units.Duration(q.MinShareTimeout) != 5*units.Minute {
		t.Errorf("%v, %v", q.MinShareTimeout, err)
	}
	if text, err := json.Marshal(q); err != nil || !strings.Contains(string(text), `"min_share_timeout":"5m"`) {
		t.Errorf("%s, %v", text, err)
	}
	if err := json.Unmarshal([]byte(`{"min_share_timeout":"5"}`), &q); err == nil {
		t.Error("a span without a unit is taken")
	}
}

func TestSays(t *testing.T) {
	c := Config{Queues: []Queue{{Name: "prod", Capacity: 60, Queues: []Queue{{Name: "web", Capacity: 50}, {Name: "batch", Capacity: 25, Maximum: 40}}},
		{Name: "pool", Weight: 2, MinMaps: 1, MinReduces: 3}, {Name: "plain"}}}
	for queue, want := range map[string]string{"web": "guaranteed 30 %", "root.prod.batch": "guaranteed 15 %, at most 40 %",
		"pool": "weight 2, at least 1 map, at least 3 reduces", "plain": "", "prod": "", "nobody": ""} {
		if got := c.Says(queue); got != want {
			t.Errorf("%s: %q, want %q", queue, got, want)
		}
	}
}
