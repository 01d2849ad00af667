package journal

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

var moves = &sched.Cause{Name: "moves"}

// advised says which items of plans a journal has, by verb and what they are about, round by round. Each
// plan is refused item by item; what the next batch brings besides is in news.
func advised(t *testing.T, rounds []struct {
	news []sched.Event
	plan []sched.Item
}) (items []string, text string) {
	t.Helper()
	var out bytes.Buffer
	j, err := NewWriter(&out, Header{})
	if err != nil {
		t.Fatal(err)
	}
	var refusals []sched.Event
	id := sched.ItemID(0)
	for i, r := range rounds {
		at := units.Time(i)
		p := &sched.Plan{}
		if err := j.Batch(int64(i+1), at, append(refusals, r.news...)); err != nil {
			t.Fatal(err)
		}
		refusals = nil
		for _, it := range r.plan {
			id++
			it.ID, it.Reason = id, sched.Because(moves, int64(i))
			if it.Refused == sched.OK {
				it.Refused = sched.Watched
			}
			p.Items = append(p.Items, it)
			refusals = append(refusals, sched.Event{Kind: sched.Refused, Derived: true, Item: id, Why: it.Refused})
		}
		if err := j.Plan(int64(i+1), at, p); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(j.Batch(int64(len(rounds)+1), units.Time(len(rounds)), refusals), j.Close()); err != nil {
		t.Fatal(err)
	}
	said := ""
	for line := range strings.Lines(out.String()) {
		switch _, line, _ := strings.Cut(line, " "); {
		case strings.HasPrefix(line, "plan "):
			items, said = append(items, ""), strings.TrimPrefix(line[:strings.Index(line, " #")], "plan ")
			items[len(items)-1] = said
		case strings.HasPrefix(line, "item "):
			items[len(items)-1] += " " + strings.Fields(line)[1]
		}
	}
	return items, out.String()
}

// What is advised again is not written again, nor its refusal: as long as it is about the same node, job and
// attempt, and nothing else was advised meanwhile.
func TestAdviceIsWrittenOnce(t *testing.T) {
	watch := []sched.Event{{Kind: sched.Resync}, {Kind: sched.Control, Control: sched.Watch}}
	on := func(n sched.NodeID, j sched.JobID) sched.Item {
		return sched.Item{Verb: sched.Start, Job: j, Stage: sched.Map, Node: n, Count: 2}
	}
	few := on(1, 1)
	few.Count = 1
	kill := sched.Item{Verb: sched.Kill, Job: 1, Stage: sched.Map, Attempt: 7, Count: 1, Node: 1, Outcome: sched.Preempted}
	other := kill
	other.Attempt = 8
	sleep, wake := sched.Item{Verb: sched.Sleep, Node: 1}, sched.Item{Verb: sched.Wake, Node: 1}
	second := sched.Item{Verb: sched.Speculate, Job: 1, Stage: sched.Map, Task: 3, Node: 1, Count: 1}
	tasks := sched.Item{Verb: sched.SetTasks, Job: 1, Stage: sched.Reduce, Count: 5}
	fewer := tasks
	fewer.Count = 4
	full := on(1, 1)
	full.Refused = sched.NoRoom
	type plan = []sched.Item
	for name, c := range map[string]struct {
		plans []plan
		news  sched.Event // in the second batch
		want  string
	}{
		"a start":                       {[]plan{{on(1, 1)}, {on(1, 1)}, {on(1, 1)}}, sched.Event{}, "items=1 start|items=0 repeated=1|items=0 repeated=1"},
		"another node":                  {[]plan{{on(1, 1)}, {on(2, 1)}, {on(1, 1)}}, sched.Event{}, "items=1 start|items=1 start|items=0 repeated=1"},
		"another job":                   {[]plan{{on(1, 1)}, {on(1, 2)}, {on(1, 1)}}, sched.Event{}, "items=1 start|items=1 start|items=1 start"},
		"fewer":                         {[]plan{{on(1, 1)}, {few}, {on(1, 1)}}, sched.Event{}, "items=1 start|items=1 start|items=1 start"},
		"once more":                     {[]plan{{few}, {few, few}, {few, few}}, sched.Event{}, "items=1 start|items=1 repeated=1 start|items=0 repeated=2"},
		"a second attempt":              {[]plan{{second}, {second}, {on(1, 1)}}, sched.Event{}, "items=1 speculate|items=0 repeated=1|items=1 start"},
		"a second attempt for a start":  {[]plan{{on(1, 1), second}, {second}, {on(1, 1), second}}, sched.Event{}, "items=2 start speculate|items=0 repeated=1|items=1 repeated=1 start"},
		"a kill":                        {[]plan{{kill}, {on(1, 1)}, {kill}}, sched.Event{}, "items=1 kill|items=1 start|items=0 repeated=1"},
		"another kill":                  {[]plan{{kill}, {other}, {kill}}, sched.Event{}, "items=1 kill|items=1 kill|items=0 repeated=1"},
		"sleep":                         {[]plan{{sleep}, {sleep}, {wake}, {sleep}}, sched.Event{}, "items=1 sleep|items=0 repeated=1|items=1 wake|items=1 sleep"},
		"sleep and start":               {[]plan{{sleep}, {on(1, 1)}, {sleep}}, sched.Event{}, "items=1 sleep|items=1 start|items=0 repeated=1"},
		"tasks":                         {[]plan{{tasks}, {tasks}, {fewer}}, sched.Event{}, "items=1 set-tasks|items=0 repeated=1|items=1 set-tasks"},
		"nothing":                       {[]plan{{on(1, 1)}, {}, {on(1, 1)}}, sched.Event{}, "items=1 start|items=0|items=0 repeated=1"},
		"refused for another reason":    {[]plan{{full}, {full}}, sched.Event{}, "items=1 start|items=1 start"},
		"what is no advice to act":      {[]plan{{{Verb: sched.Hold, Job: 1}}, {{Verb: sched.Hold, Job: 1}}}, sched.Event{}, "items=1 hold|items=1 hold"},
		"another job of that handle":    {[]plan{{on(1, 1)}, {on(1, 1)}}, sched.Event{Kind: sched.JobArrived, Job: 1}, "items=1 start|items=1 start"},
		"another node of that handle":   {[]plan{{on(1, 1)}, {on(1, 1)}}, sched.Event{Kind: sched.NodeUp, Node: 1}, "items=1 start|items=1 start"},
		"another attempt of the handle": {[]plan{{kill}, {kill}}, sched.Event{Kind: sched.Started, Attempt: 7}, "items=1 kill|items=1 kill"},
		"other news":                    {[]plan{{kill}, {kill}}, sched.Event{Kind: sched.Started, Attempt: 6}, "items=1 kill|items=0 repeated=1"},
		"a resync":                      {[]plan{{on(1, 1)}, {on(1, 1)}}, sched.Event{Kind: sched.Resync}, "items=1 start|items=1 start"},
	} {
		rounds := make([]struct {
			news []sched.Event
			plan []sched.Item
		}, len(c.plans))
		for i, p := range c.plans {
			rounds[i].plan = p
		}
		rounds[0].news = watch
		if c.news.Kind != 0 {
			rounds[1].news = []sched.Event{c.news}
		}
		items, text := advised(t, rounds)
		if got := strings.Join(items, "|"); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", name, got, c.want)
		}
		// Each item that is written, and no other, has its refusal, and a round has the lines that it
		// announces.
		if a, b := strings.Count(text, " item "), strings.Count(text, " event refused "); a != b {
			t.Errorf("%s: %d items, %d refusals", name, a, b)
		}
		for _, round := range regexp.MustCompile(`(?m)^\d+ round `).Split(text, -1)[1:] {
			if want := fmt.Sprintf("events=%d ", strings.Count(round, " event ")); !strings.Contains(round, want) {
				t.Errorf("%s: want %s in round %s", name, want, round)
			}
		}
	}
}
