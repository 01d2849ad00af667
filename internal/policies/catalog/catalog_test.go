package catalog

import (
	"slices"
	"strings"
	"testing"

	"github.com/slackline/slackline/cluster"
	"github.com/slackline/slackline/internal/kernel/ledger"
	"github.com/slackline/slackline/internal/policies/catalog/testdata/laxity"
	"github.com/slackline/slackline/internal/policies/compose"
	"github.com/slackline/slackline/internal/policies/queues"
	"github.com/slackline/slackline/profile"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

func TestCanonicalNames(t *testing.T) {
	for text, want := range map[string]string{
		"fifo":                                    "fifo",
		" edf + serial + greedy( nonlocal=2 )":    "edf+serial+greedy(nonlocal=2)",
		"edf+greedy(nonlocal=01,reduces=1)":       "edf+greedy",
		"fair(fair_timeout=600s,preemption=true)": "fair(preemption=true,fair_timeout=10m)",
		"fair(min_timeout=0s,interval=15s)":       "fair",
		"fair()":                                  "fair",
		"capacity(elastic=false)":                 "capacity(elastic=false)",
		"serial":                                  "serial",
		"fair+greedy(reduces=0)":                  "fair+greedy(reduces=0)",
		"edf-p+limit(running=3)":                  "edf-p+limit(running=3)",
		"fair-share+preempt(fair_timeout=5m)":     "fair-share+preempt(fair_timeout=5m)",
		"edf( feasible )+delay":                   "edf(feasible=true)+delay",
		"edf(feasible=false)":                     "edf",
		"promise+flow":                            "promise+tradeoff",
		"promise+flow(beta=5)+slack":              "promise+tradeoff(beta=5)+slack",
	} {
		p, err := New(text, queues.Config{})
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		if p.Name() != want {
			t.Errorf("%q is called %q, want %q", text, p.Name(), want)
		}
	}
}

func TestBadPolicies(t *testing.T) {
	for text, want := range map[string]string{
		"":                            `policy "", character 1: found the end of the text where the name of a policy or part was expected`,
		"fiar":                        `policy "fiar", character 1: there is no policy or part "fiar"; did you mean "fair"?`,
		"edf+sreial":                  `policy "edf+sreial", character 5: there is no policy or part "sreial"; did you mean "serial"?`,
		"edf+fifo":                    `policy "edf+fifo", character 5: "fifo" is a whole policy, which must come first`,
		"edf+flow":                    `policy "edf+flow", character 5: "flow" is a whole policy, which must come first`,
		"promise+dawsee":              `policy "promise+dawsee", character 9: "dawsee" is a whole policy, which must come first`,
		"promise+flow(waiting=timer)": `policy "promise+flow(waiting=timer)", character 14: "tradeoff" has no parameter "waiting"; there are: beta`,
		"edf+by-arrival":              `policy "edf+by-arrival", character 5: "edf" and "by-arrival" are both of kind "order"; leave one out`,
		"serial(x=1)":                 `policy "serial(x=1)", character 8: "serial" has no parameters`,
		"edf(feasibel)":               `policy "edf(feasibel)", character 5: "edf" has no parameter "feasibel"; did you mean "feasible"?`,
		"edf(feasible=maybe)":         `policy "edf(feasible=maybe)", character 5: feasible is "maybe", it must be true or false`,
		"edf(feasible,feasible)":      `policy "edf(feasible,feasible)", character 14: feasible is set twice`,
		"greedy(nonlocl=1)":           `policy "greedy(nonlocl=1)", character 8: "greedy" has no parameter "nonlocl"; did you mean "nonlocal"?`,
		"greedy(nonlocal=-1)":         `policy "greedy(nonlocal=-1)", character 8: nonlocal is "-1", it must be a whole number, 0 or more`,
		"greedy(reduces=1,reduces=1)": `policy "greedy(reduces=1,reduces=1)", character 18: reduces is set twice`,
		"greedy(reduces":              `policy "greedy(reduces", character 15: found the end of the text where "," or ")" was expected`,
		"greedy(reduces)":             `policy "greedy(reduces)", character 15: found ")" where "=" and the value of reduces was expected`,
		"greedy(reduces 1)":           `policy "greedy(reduces 1)", character 16: found "1" where "," or ")" was expected`,
		"greedy(reduces=":             `policy "greedy(reduces=", character 16: found the end of the text where the value of reduces was expected`,
		"greedy(reduces=1":            `policy "greedy(reduces=1", character 17: found the end of the text where "," or ")" was expected`,
		"greedy)":                     `policy "greedy)", character 7: found ")" where "+" or the end was expected`,
		"fifo+":                       `policy "fifo+", character 6: found the end of the text where the name of a policy or part was expected`,
		"é+x":                         `policy "é+x", character 1: there is no policy or part "é"`,
		"edf+preempt":                 `policy "edf+preempt": preemption for fair shares works only with the order "fair": no other has pools with shares`,
		"rtmr+greedy":                 `policy "rtmr+greedy", character 6: "rtmr" needs all of its parts to promise deadlines; it cannot be combined with "greedy"`,
		"rtmr+sleep":                  `policy "rtmr+sleep", character 6: "rtmr" needs all of its parts to promise deadlines; it cannot be combined with "sleep"`,
		"rds(bogus=1)":                `policy "rds(bogus=1)", character 5: "rds" has no parameter "bogus"; there are: fast, hard, hc, hp, interval, map_penalty, nu, ny, reduce_penalty, solver`,
		"fair(pool=x)":                `policy "fair(pool=x)", character 6: pool is "x", it must be one of queue, user`,
		"rds+slowstart":               `policy "rds+slowstart", character 5: "rds" divides the slots by parts of its own; it cannot be combined with "slowstart", which is of kind "share"`,
		"rds+limit(running=1)":        `policy "rds+limit(running=1)", character 5: "rds" divides the slots by parts of its own; it cannot be combined with "limit", which is of kind "admit"`,
		"rds+all":                     `policy "rds+all", character 5: "rds" divides the slots by parts of its own; it cannot be combined with "all", which is of kind "admit"`,
		"rtmr(sample=0)":              `policy "rtmr(sample=0)", character 6: sample is 0, so nothing would be measured; give at least 1, or unknown=best-effort`,
		"rtmr(sample=99999999999)":    `policy "rtmr(sample=99999999999)", character 6: sample is "99999999999", which is too large: the maximum is 2147483647`,
		"rtmr(skew=99999999999)":      `policy "rtmr(skew=99999999999)", character 6: skew is "99999999999", which is too large: the maximum is 2147483647`,
		"rtmr(skew=50)":               `policy "rtmr(skew=50)", character 6: skew is 50 %, but the largest share is at least 100 % of the mean`,
		"fair(min_timeout=5)":         `policy "fair(min_timeout=5)", character 6: min_timeout: `,
	} {
		_, err := New(text, queues.Config{})
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v\nwant %s", text, err, want)
		}
		if err != nil && strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: more than one line: %v", text, err)
		}
	}
}

// A parameter without effect is an error.
func TestIdleParameters(t *testing.T) {
	shares := queues.Config{Queues: []queues.Queue{{Name: "a", MinMaps: 1}}}
	patient := queues.Config{Queues: []queues.Queue{{Name: "a", MinMaps: 1, MinShareTimeout: queues.Span(units.Minute)}}}
	for _, c := range []struct {
		text   string
		queues queues.Config
		want   string // "" = it does something
	}{
		{"fair(min_timeout=5m)", shares, `character 6: min_timeout has no effect without preemption=true`},
		{"fair(jobs=fifo, update=1s)", shares, `character 17: update has no effect without preemption=true`},
		{"fair(preemption=true)", shares, `character 6: preemption=true has no effect without a time-out; set fair_timeout, or min_timeout`},
		{"fair(preemption=true)", patient, ""},
		{"fair(preemption=true,interval=1s)", patient, ""},
		{"fair(preemption=true,min_timeout=5m)", shares, ""},
		{"fair(preemption=true,min_timeout=5m)", queues.Config{}, `character 22: min_timeout has no effect: no queue has a minimum share`},
		{"fair+preempt(interval=1s)", shares, `character 14: interval has no effect without a time-out`},
		{"fair+preempt(interval=1s,fair_timeout=1m)", shares, ""},
		{"fair(pool=user,users=true)", shares, `character 16: users=true has no effect with pool=user`},
		{"fair(users=true)+edf", shares, `character 6: users has no effect: "edf" replaces the order part that reads it`},
		{"fair(jobs=fair)+edf", shares, ""},
		{"fair(jobs=fifo)+serial", shares, ""},
		{"capacity(elastic=false)+fair-share", shares, `character 10: elastic has no effect: "fair-share" replaces`},
		{"fair(preemption=true,fair_timeout=1m)+preempt(fair_timeout=2m)", shares, `character 6: preemption has no effect: "preempt" replaces`},
		{"greedy(nonlocal=0,local=rack)", shares, `character 19: local=rack has no effect with nonlocal=0`},
		{"greedy(nonlocal=0,local=node)", shares, ""},
		{"rtmr(unknown=best-effort,sample=4)", shares, `character 26: sample has no effect with unknown=best-effort`},
	} {
		_, err := New(c.text, c.queues)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v\nwant %s", c.text, err, c.want)
		}
	}
}

// Every entry can be asked for by name alone, has a sentence and a source, and its parameters have
// defaults that are right.
func TestEntries(t *testing.T) {
	seen := map[string]bool{}
	for _, e := range All() {
		if seen[e.Name] {
			t.Errorf("%q is there twice", e.Name)
		}
		seen[e.Name] = true
		if e.Doc == "" || e.Cite == "" || e.Kind == "" {
			t.Errorf("%q lacks its sentence, its source or its kind", e.Name)
		}
		text := e.Name
		if e.Kind == compose.KindPreempt {
			text = "fair+" + text
		}
		p, err := New(text, queues.Config{})
		if err != nil {
			t.Errorf("%q: %v", text, err)
		} else if p.Name() != text {
			t.Errorf("%q is called %q", text, p.Name())
		}
	}
}

func TestQueuesAreChecked(t *testing.T) {
	_, err := New("fair", queues.Config{Queues: []queues.Queue{{Name: "a", Weight: -1}}})
	if err == nil || !strings.Contains(err.Error(), `queue "a": weight is -1`) {
		t.Errorf("got %v", err)
	}
}

func TestCapacityKnowsItsQueues(t *testing.T) {
	some := []queues.Queue{{Name: "a", Capacity: 100}}
	_, err := New("capacity", queues.Config{Queues: some, Undeclared: queues.Allow})
	if err == nil || !strings.Contains(err.Error(), `policy "capacity", character 1: the capacity scheduler needs a capacity for each queue`) {
		t.Errorf("got %v", err)
	}
	for _, q := range []queues.Config{{Queues: some, Undeclared: queues.Refuse}, {Undeclared: queues.Allow}} {
		if _, err := New("capacity", q); err != nil {
			t.Error(err)
		}
	}
	if _, err := New("fair", queues.Config{Queues: some, Undeclared: queues.Allow}); err != nil {
		t.Error(err)
	}
}

func TestNeeds(t *testing.T) {
	p, err := New("fair(preemption=true,fair_timeout=1m)", queues.Config{})
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Suits(&sched.Capabilities{World: "meek"}); err == nil || !strings.Contains(err.Error(), `needs a world that can kill (for its preempt part), and the world "meek" cannot`) {
		t.Errorf("got %v", err)
	}
	if err := p.Suits(&sched.Capabilities{World: "sim", Kill: true}); err != nil {
		t.Error(err)
	}
	if p, err = New("flow", queues.Config{}); err != nil || p.Suits(&sched.Capabilities{World: "meek"}) != nil {
		t.Error(err)
	}
	want := []string{`policy "flow": its part tradeoff does without set-tasks, which the world "meek" cannot`}
	if got := p.Forgoes(&sched.Capabilities{World: "meek"}); !slices.Equal(got, want) || p.Forgoes(&sched.Capabilities{World: "sim", Mold: true}) != nil {
		t.Error(got)
	}
}

// Parts of one's own take one folder (testdata/laxity here, beside the others in earnest) and a
// line of the catalogue each. They rank right after learning, and give reasons of their own.
func TestPartsOfOnesOwn(t *testing.T) {
	mine := append(All(), laxity.Order(), laxity.Admission())
	p, err := Of(mine, "least-laxity+laxity+greedy(nonlocal=0)", queues.Config{})
	if err != nil || p.Name() != "least-laxity+laxity+greedy(nonlocal=0)" || !p.Studies() {
		t.Fatalf("%v, %v", p, err)
	}
	book := ledger.New(sched.Capabilities{World: "w", Bind: true}, p.About().Order)
	var plan sched.Plan
	round := int64(0)
	tell := func(events ...sched.Event) {
		round++
		all := book.Apply(units.Time(round)*units.Time(units.Second), round, events)
		book.Begin(&plan)
		p.Decide(book, all, &plan)
		book.Check(&plan)
	}
	class := &cluster.Class{Name: "c", Speed: 1, Capacity: units.Slots(1, 0)}
	arrives := func(j sched.JobID, id string, seconds int) sched.Event {
		return sched.Event{Kind: sched.JobArrived, Job: j, Detail: &sched.Detail{Job: &workload.Job{ID: id, Class: id, Weight: 1, Soft: units.Never,
			Deadline: units.Time(0).Add(units.Duration(seconds) * units.Second), Stages: []workload.StageSpec{{Kind: workload.Map, Tasks: make([]workload.Task, 3)}}}}}
	}
	tell(sched.Event{Kind: sched.NodeUp, Node: 1, Detail: &sched.Detail{Node: &cluster.Node{Name: "n", Rack: 1, Class: class}}}, arrives(1, "a", 100), arrives(2, "b", 130))
	if first := book.First(1, sched.Map, 0); first != 1 {
		t.Errorf("while nothing is known job %d goes first", first)
	}
	known := profile.New("b")
	known.Attempt(workload.Map, "c", 0, 30*units.Second, 0)
	tell(sched.Event{Kind: sched.ProfileLearned, Detail: &sched.Detail{Profile: known}})
	if first := book.First(1, sched.Map, 0); first != 2 {
		t.Errorf("job b has 40 s to spare, job a 100 s, and job %d goes first", first)
	}
	late := arrives(3, "b2", 50)
	late.Detail.Job.Class = "b"
	tell(late)
	if it := plan.Items[0]; it.Verb != sched.Reject || it.Reason.String() != "its tasks take 43.0 s longer, one after the other, than it has time for" {
		t.Errorf("%v because %v", it.Verb, it.Reason)
	}
}

// FuzzNew: no text crashes the grammar; what is accepted is called by a name that means the same.
func FuzzNew(f *testing.F) {
	for _, s := range []string{"fifo", "edf+serial", "fair(preemption=true,fair_timeout=5m)+greedy(nonlocal=2)", "fair(min_timeout=5m)", "a(b=c", "+", "é(=)", "capacity(elastic=false)"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		p, err := New(text, queues.Config{})
		if err != nil {
			if strings.TrimSpace(err.Error()) == "" {
				t.Fatal("an error without words")
			}
			return
		}
		again, err := New(p.Name(), queues.Config{})
		if err != nil || again.Name() != p.Name() {
			t.Fatalf("%q is called %q, which gives %v", text, p.Name(), err)
		}
	})
}

func TestPromisesWithAProbabilityAreWritten(t *testing.T) {
	for text, want := range map[string]string{
		"promise(level=99%)":                "promise",
		"promise(level=99.5%,refused=run)":  "promise(level=99.5%)",
		"promise(refused=reject)":           "promise(refused=reject)",
		"promise(level=90%,refused=reject)": "promise(level=90%,refused=reject)",
	} {
		if p, err := New(text, queues.Config{}); err != nil || p.Name() != want {
			t.Errorf("%s: %v, %v", text, p, err)
		}
	}
	for text, says := range map[string]string{
		"promise(level=99)":       "without a sign: write 99%",
		"promise(level=0.99)":     "without a sign: write 99%",
		"promise(level=100%)":     "100%",
		"promise(level=0)":        "from 50% to 99.99%",
		"promise(level=0%)":       "from 50% to 99.99%",
		"promise(level=worst)":    "no percentage such as 99%",
		"promise(feedback=false)": `has no parameter "feedback"`,
		"promise+delay":           `"promise" needs all of its parts`,
		"promise+need+delay":      `"promise" needs all of its parts`,
		"rtmr+need":               `"rtmr" needs all of its parts`,
		"rtmr(promise=99%)":       "promise(level=99%) promises with a probability",
		"rtmr(promise=worst)":     "it promises for the worst case",
		"rtmr(refused=run)":       "promise runs it without a promise",
		"rtmr(order=fifo)":        "is by deadline",
		"rtmr(preempt=false)":     "edf(feasible)+slowstart kills none",
	} {
		if _, err := New(text, queues.Config{}); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v, which does not say %q", text, err, says)
		}
	}
}
