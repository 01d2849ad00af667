package compose_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/slackline/slackline/internal/policies/admit"
	"github.com/slackline/slackline/internal/policies/compose"
	"github.com/slackline/slackline/internal/policies/order"
	"github.com/slackline/slackline/internal/policies/placement"
	"github.com/slackline/slackline/sched"
)

// counting is a part with memory.
type counting struct {
	placement.Greedy
	N int
}

func (c *counting) Decide(sched.View, []sched.Event, *sched.Plan) { c.N++ }
func (c *counting) MarshalJSON() ([]byte, error)                  { return json.Marshal(c.N) }
func (c *counting) CopyFrom(other any)                            { c.N = other.(*counting).N }
func (c *counting) UnmarshalJSON(text []byte) error               { return json.Unmarshal(text, &c.N) }

// noting notes which steps are taken.
type noting struct {
	kind  string
	steps *[]string
}

func (n noting) Decide(sched.View, []sched.Event, *sched.Plan) { *n.steps = append(*n.steps, n.kind) }

// steps are those that every recipe needs.
func steps(admit, place compose.Step) map[compose.Kind]compose.Step {
	return map[compose.Kind]compose.Step{compose.KindAdmit: admit, compose.KindPlace: place}
}

func with(t *testing.T, name string, p compose.Step) *compose.Policy {
	t.Helper()
	y, err := compose.New(compose.Recipe{Name: name, Order: order.FIFO{}, Steps: steps(admit.All{}, p)})
	if err != nil {
		t.Fatal(err)
	}
	return y
}

func TestStepsInTurn(t *testing.T) {
	var steps []string
	r := compose.Recipe{Order: order.FIFO{}}
	for _, kind := range []compose.Kind{compose.KindScale, compose.KindPlace, compose.KindPlan, compose.KindSpeculate, compose.KindShare, compose.KindAdmit, compose.KindPreempt} {
		if err := r.Put(compose.Entry{Kind: kind, Step: func(compose.Args) (compose.Step, error) { return noting{string(kind), &steps}, nil }}, compose.Args{}); err != nil {
			t.Fatal(err)
		}
	}
	y, err := compose.New(r)
	if err != nil {
		t.Fatal(err)
	}
	y.Decide(nil, nil, new(sched.Plan))
	if got := strings.Join(steps, " "); got != "plan admit share place speculate preempt scale" {
		t.Errorf("the steps are %s", got)
	}
}

func TestMemoryIsSaved(t *testing.T) {
	a, b := &counting{}, &counting{}
	y, z := with(t, "x", a), with(t, "x", b)
	y.Decide(nil, nil, new(sched.Plan))
	y.Decide(nil, nil, new(sched.Plan))
	var text, again bytes.Buffer
	if err := y.Save(&text); err != nil {
		t.Fatal(err)
	}
	was := text.String()
	if err := z.Load(&text); err != nil || b.N != 2 {
		t.Fatalf("%d, %v", b.N, err)
	}
	if err := z.Save(&again); err != nil || again.String() != was {
		t.Errorf("%q, then %q, %v", was, again.String(), err)
	}
}

type broken struct{}

func (broken) Read([]byte) (int, error) { return 0, errors.New("the disk is gone") }

func TestBadStateIsRefused(t *testing.T) {
	for text, want := range map[string]string{
		``:                           "cannot be read",
		`{`:                          "cannot be read",
		`{"version":9}`:              "has version 9, this build reads version 1",
		`{"version":1,"policy":"y"}`: `the saved state is that of "y"`,
		`{"version":1,"policy":"x"}`: "lacks its place part",
		`{"version":1,"policy":"x","parts":{"place":"no"}}`: "the saved state of its place part cannot be read",
	} {
		if err := with(t, "x", &counting{}).Load(strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
	if err := with(t, "x", &counting{}).Load(broken{}); err == nil || !strings.Contains(err.Error(), "the disk is gone") {
		t.Errorf("got %v", err)
	}
}

func TestIncompleteRecipes(t *testing.T) {
	for _, r := range []compose.Recipe{{Name: "x"}, {Name: "x", Order: order.EDF{}, Steps: steps(admit.All{}, nil)}, {Name: "x", Steps: steps(admit.All{}, &placement.Greedy{NonLocal: 1, Reduces: 1})}} {
		if _, err := compose.New(r); err == nil || !strings.Contains(err.Error(), `"x" lacks`) {
			t.Errorf("got %v", err)
		}
	}
	r := compose.Recipe{Name: "x", Order: order.EDF{}, Steps: steps(admit.All{}, &placement.Greedy{NonLocal: 1, Reduces: 1})}
	r.Steps[compose.KindOrder] = admit.All{}
	if _, err := compose.New(r); err == nil || !strings.Contains(err.Error(), `"x" has a part of a kind that takes no turn`) {
		t.Errorf("got %v", err)
	}
}

// A part that heeds only what confirms would never have its turn: it is refused. With anything else
// besides it has one.
func TestHeedsConfirmationsOnly(t *testing.T) {
	for heeds, refused := range map[sched.Events]bool{
		0:                             false,
		sched.EventsOf(sched.Started): true,
		sched.EventsOf(sched.Granted, sched.Started, sched.Progress, sched.Discrepancy): true,
		sched.EventsOf(sched.Started, sched.Ended):                                      false,
	} {
		r := compose.Recipe{Name: "x", Order: order.FIFO{}}
		entry := compose.Entry{Kind: compose.KindPlace, Traits: compose.Traits{Heeds: heeds}, Step: func(compose.Args) (compose.Step, error) {
			return &placement.Greedy{NonLocal: 1, Reduces: 1}, nil
		}}
		if err := errors.Join(r.Put(admit.AllEntry(), compose.Args{}), r.Put(entry, compose.Args{})); err != nil {
			t.Fatal(err)
		}
		_, err := compose.New(r)
		if want := `policy "x": its place part heeds only events that confirm what was planned`; refused != (err != nil) || refused && !strings.Contains(err.Error(), want) {
			t.Errorf("heeds %b: %v", heeds, err)
		}
	}
}

// What is a whole number, and too large, is called too large.
func TestLargeParameter(t *testing.T) {
	p := compose.Param{Name: "p", Type: compose.Count}
	if got, err := p.Canonical("2147483647"); got != "2147483647" || err != nil {
		t.Error(got, err)
	}
	for text, want := range map[string]string{
		"2147483648":           `p is "2147483648", which is too large: the maximum is 2147483647`,
		"99999999999999999999": `p is "99999999999999999999", which is too large: the maximum is 2147483647`,
		"-99999999999":         `p is "-99999999999", it must be a whole number, 0 or more`,
		"1e9":                  `p is "1e9", it must be a whole number, 0 or more`,
	} {
		if _, err := p.Canonical(text); err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

func TestValuesOfParameters(t *testing.T) {
	for _, c := range []struct {
		kind       compose.Type
		text, want string // "" = refused
	}{
		{compose.Count, "007", "7"}, {compose.Count, "-1", ""}, {compose.Count, "1.5", ""}, {compose.Count, "99999999999", ""},
		{compose.Switch, "true", "true"}, {compose.Switch, "yes", ""},
		{compose.Span, "90s", "1m30s"}, {compose.Span, "-1s", ""}, {compose.Span, "5", ""},
		{compose.Choice, "b", "b"}, {compose.Choice, "c", ""},
	} {
		p := compose.Param{Name: "p", Type: c.kind, Choices: []string{"a", "b"}}
		got, err := p.Canonical(c.text)
		if (err != nil) != (c.want == "") || err == nil && got != c.want {
			t.Errorf("%s %q: %q, %v; want %q", c.kind, c.text, got, err, c.want)
		}
	}
}
