//go:build !windows

package main

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/slackline/slackline/internal/studies/account"
	"github.com/slackline/slackline/internal/worlds/yarn/wire"
	"github.com/slackline/slackline/units"
)

// A job of a cluster says what it waits for, in why, show and jobs, and to its user in YARN; one that has ended says
// where its time went. While the cluster's own scheduler places work, that is what it waits for.
func TestYarnWhy(t *testing.T) {
	t.Parallel()
	s := newShell(t, nil)
	o := s.serves("--policy", "fifo")
	ctx, cut := context.WithCancel(context.Background())
	defer cut()
	rest := map[string]int64{"memory-mb": 7168, "vcores": 1}
	first, second := hurried(1), hurried(2)
	x, say := o.session(ctx, first, second)
	beat := &wire.Event{What: &wire.Event_Heartbeats{Heartbeats: &wire.Names{Names: []string{"n1"}}}}
	items := make(chan *wire.Item, 100)
	go func() {
		for {
			m, err := x.Recv()
			if err != nil {
				return
			}
			for _, item := range m.GetPlan().GetItems() {
				items <- item
			}
		}
	}()
	late := time.After(time.Minute)
	await := func(what string, is func(*wire.Item) bool) *wire.Item {
		t.Helper()
		for {
			select {
			case item := <-items:
				if is(item) {
					return item
				}
			case <-late:
				t.Fatalf("there is not %s; it said\n%s", what, o.said)
			}
		}
	}
	say(&wire.Event{What: &wire.Event_Mode{Mode: wire.Mode_MODE_OURS}})
	asks := func(app *wire.Application, prio int32, takes map[string]int64) {
		say(&wire.Event{What: &wire.Event_Asks{Asks: &wire.Asks{Application: app.Id, Attempt: 1, Rows: []*wire.Ask{{Priority: prio, Place: "*", Count: 1, Resources: takes}}}}})
	}
	grants := func(id string, prio int32, takes map[string]int64) {
		say(beat)
		at := await("a place", func(i *wire.Item) bool { return i.GetPlace() != nil })
		say(&wire.Event{What: &wire.Event_Container{Container: &wire.Container{Id: id, Application: first.Id, Attempt: 1, Priority: prio, Node: "n1", Resources: takes, Item: at.Id}}})
	}
	asks(first, 0, first.Master)
	grants("c1", 0, first.Master)
	asks(first, 20, rest)
	grants("c2", 20, rest)
	asks(second, 0, second.Master)
	s.awaits("a start", func() bool { return strings.Contains(s.run("jobs").stdout, " running ") })

	const why = "it waits for slots: application_1_0001 holds 2 slots"
	w := whyJSON(t, s, second.Id)
	if w.Wait == nil || w.Wait.Cause != account.Slots || len(w.Wait.Jobs) != 1 || !strings.HasPrefix(w.Waits, why) || len(w.Told) != 1 {
		t.Errorf("%+v", w)
	}
	for args, want := range map[string]string{"show": "why " + why, "why": why} {
		if got := strings.Join(strings.Fields(s.must(0, args, second.Id)), " "); !strings.Contains(got, want) {
			t.Errorf("%s: %s\nwant %s", args, got, want)
		}
	}
	if got := s.must(0, "jobs", "-o", "wide"); !strings.Contains(got, "  slots of application_1_0001") {
		t.Error(got)
	}
	for range 60 { // six seconds of the cluster's clock
		say(beat)
	}
	told := await("a sentence", func(i *wire.Item) bool { return strings.Contains(i.GetVerdict().GetSentence(), "it waits") }).GetVerdict()
	if told.Application != second.Id || !strings.HasPrefix(told.Sentence, why) || told.Judgement != wire.Judgement_JUDGEMENT_ADMIT {
		t.Errorf("%v", told)
	}

	// What has ended has its account, though the run goes on.
	for _, id := range []string{"c2", "c1"} {
		say(&wire.Event{What: &wire.Event_Completion{Completion: &wire.Completion{Container: id, Cause: wire.Cause_CAUSE_EXITED}}})
	}
	say(&wire.Event{What: &wire.Event_ApplicationEnd{ApplicationEnd: &wire.ApplicationEnd{Id: first.Id, End: wire.End_END_SUCCEEDED}}})
	say(&wire.Event{What: &wire.Event_Mode{Mode: wire.Mode_MODE_STOCK}})
	s.awaits("an end", func() bool { return strings.Contains(s.run("jobs").stdout, " finished ") })
	if w = whyJSON(t, s, second.Id); w.Wait == nil || w.Wait.Cause != account.Stock || w.Waits != "it waits for the cluster's own scheduler, which places work; 1 master to start" {
		t.Errorf("%+v", w)
	}
	w, sum := whyJSON(t, s, first.Id), units.Duration(0)
	if w.Account == nil {
		t.Fatalf("%+v", w)
	}
	for i := range w.Account.Parts {
		sum += w.Account.Parts[i].Took
	}
	if sum != w.Account.Response() || !strings.Contains(s.must(0, "why", first.Id), "got its ApplicationMaster ready") {
		t.Errorf("%v of %v: %+v", sum, w.Account.Response(), w.Account)
	}
}
