package conform

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/slackline/slackline/internal/kernel/drive"
	"github.com/slackline/slackline/internal/kernel/ledger"
	"github.com/slackline/slackline/internal/policies/compose"
	"github.com/slackline/slackline/internal/worlds/adverse"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// newcomer is a sink that lets a fresh policy decide each resync and each take-over beside the one that
// has a past, with the same book, and notes in what their memories differ then.
type newcomer struct {
	policy *compose.Policy // that has a past

	kind   sched.EventKind // Resync, Control, or NoEvent: they decide nothing together
	beside *compose.Policy
	book   *ledger.Ledger
	events []sched.Event
	plan   sched.Plan

	kept    map[keepsake]bool // in what they differed, and whether the one with a past had something there
	differs string            // the first plans of a resync that differ
	turns   map[sched.EventKind]int
}

// keepsake is a field of what a part saves, "" = all of it, and whether it outlives a resync or a take-over.
type keepsake struct {
	part, field string
	kind        sched.EventKind
}

func (n *newcomer) Batch(round int64, at units.Time, events []sched.Event) error {
	n.kind = sched.NoEvent
	var told []sched.Event
	for i := range events {
		switch e := &events[i]; {
		case e.Kind == sched.Resync:
			n.kind = sched.Resync
		case e.Kind == sched.Control && e.Control == sched.TakeOver && n.kind == sched.NoEvent:
			n.kind = sched.Control
		}
		if !events[i].Derived {
			told = append(told, events[i])
		}
	}
	if n.kind != sched.NoEvent {
		n.events = append(n.events[:0], n.book.Apply(at, round, told)...)
	}
	return nil
}

func (n *newcomer) Plan(_ int64, _ units.Time, p *sched.Plan) error {
	if n.kind == sched.NoEvent {
		return nil
	}
	n.turns[n.kind]++
	n.book.Begin(&n.plan)
	n.beside.Decide(n.book, n.events, &n.plan)
	n.book.Check(&n.plan)
	if is, fresh := lines(p), lines(&n.plan); n.kind == sched.Resync && is != fresh && n.differs == "" {
		n.differs = is + "a fresh one:\n" + fresh
	}
	is, err := memories(n.policy)
	fresh, other := memories(n.beside)
	both := maps.Clone(is)
	maps.Copy(both, fresh)
	for k := range both {
		if !bytes.Equal(is[k], fresh[k]) {
			text := string(is[k])
			k.kind = n.kind
			n.kept[k] = n.kept[k] || !slices.Contains([]string{"", "null", "0", "[]", "{}"}, text)
		}
	}
	return errors.Join(err, other)
}

// memories are what the parts of a policy save, field by field.
func memories(y *compose.Policy) (map[keepsake]json.RawMessage, error) {
	var text bytes.Buffer
	if err := y.Save(&text); err != nil {
		return nil, err
	}
	var saved struct {
		Parts map[compose.Kind]json.RawMessage `json:"parts"`
	}
	if err := json.Unmarshal(text.Bytes(), &saved); err != nil {
		return nil, err
	}
	list := map[keepsake]json.RawMessage{}
	for _, part := range y.Parts() {
		of, has := saved.Parts[part.Kind]
		var fields map[string]json.RawMessage
		switch {
		case !has:
		case json.Unmarshal(of, &fields) != nil:
			list[keepsake{part: part.Name}] = of
		}
		for name, value := range fields {
			list[keepsake{part: part.Name, field: name}] = value
		}
	}
	return list, nil
}

// outlives says what of a part's memory outlives a resync, and what a take-over: fields of what it saves,
// "all" where that has none. What is not named is as in a part that is new; what is named is seen to be
// something else, but where a question mark says that this is rare.
var outlives = map[string]struct{ resync, takeOver string }{
	"delay":             {"", "jobs last"},
	"efh":               {"", "wake"},
	"matchmaking":       {"", "all"},
	"speculate":         {"", "node wake"},
	"sleep":             {"", "wake"},
	"slack":             {"gamma?", "gamma?"},
	"slowstart":         {"", "early held"},
	"preempt":           {"fed next_check wake", ""},        // the wake-up follows the others
	"out of time":       {"places?", "now next? capacity?"}, // jobs stand as at the last look when it looks again
	"constraint":        {"all", "all"},
	"planned jobs":      {"classes", "classes"},
	"running queue":     {"activate classes intervals members next observe prices slots wake speed? level? slowed?", "activate classes due? held intervals members next observe prices slots speed wake level? slowed?"},
	"rtmr admission":    {"jobs others plan queue starts", "jobs others plan queue starts"},
	"promise admission": {"any arrivals classes? errors? jobs? kin next?", "any arrivals classes? errors? jobs kin next line? failures?"},
}

// What a part remembers after a resync, and after a take-over, is what its description says: the rest it
// has forgotten, so that it decides as one that is new.
func TestVoids(t *testing.T) {
	t.Parallel()
	seeds := map[bool]uint64{false: 3, true: 10}[fuller()] // with fewer not all that is kept is seen
	kept, turns := map[keepsake]bool{}, map[sched.EventKind]int{}
	for _, text := range append(everyone(), "fifo+matchmaking", "fair+delay(D=2s,rack=1s)") {
		fresh := fromCatalogue(t, text)
		forgets := !slices.ContainsFunc(fresh().Parts(), func(e compose.Entry) bool { return outlives[e.Name].resync != "" })
		for seed := range seeds {
			alone := simulated(1)
			if seed%3 == 0 {
				alone = pressed(1)
			}
			for _, w := range []drive.World{
				&school{World: adverse.New(twinned(seed)), early: seed%2 == 0},
				NewRetold(&taught{World: alone.New(t, seed), told: seed%2 > 0}, seed),
			} {
				n := &newcomer{policy: fresh(), kept: kept, turns: turns}
				l := drive.New(w, n.policy, n)
				var err error
				for ; err == nil; err = l.Step(context.Background()) {
					if n.beside == nil || n.kind != sched.NoEvent {
						n.beside = fresh()
					}
					n.book = l.Ledger.Clone(n.beside.About().Order)
				}
				if !errors.Is(err, io.EOF) {
					t.Fatalf("%s, seed %d: %v", text, seed, err)
				}
				if forgets && n.differs != "" {
					t.Errorf("%s, seed %d: after a resync it plans\n%s", text, seed, n.differs)
				}
			}
		}
	}
	if turns[sched.Resync] == 0 || turns[sched.Control] == 0 {
		t.Errorf("%v: this tests nothing", turns)
	}
	list := func(part string, kind sched.EventKind) []string {
		if kind == sched.Control {
			return strings.Fields(outlives[part].takeOver)
		}
		return strings.Fields(outlives[part].resync)
	}
	for k := range kept {
		name, of := cmp.Or(k.field, "all"), list(k.part, k.kind)
		if !slices.Contains(of, name) && !slices.Contains(of, name+"?") {
			t.Errorf("after a %v %s does not remember what one remembers that is new: %s", k.kind, k.part, name)
		}
	}
	for part := range outlives {
		for _, kind := range []sched.EventKind{sched.Resync, sched.Control} {
			if !fuller() {
				continue
			}
			for _, field := range list(part, kind) {
				if !strings.HasSuffix(field, "?") && !kept[keepsake{part, strings.TrimPrefix(field, "all"), kind}] {
					t.Errorf("that %s keeps %q after a %v is not seen", part, field, kind)
				}
			}
		}
	}
}
