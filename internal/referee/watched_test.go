package referee_test

import (
	"bytes"
	"strings"
	"testing"

	writing "github.com/slackline/slackline/internal/kernel/journal"
	"github.com/slackline/slackline/internal/referee"
	"github.com/slackline/slackline/sched"
)

// Runs that the referee does not judge it refuses in one sentence: where a policy only watched, and where the world
// binds late.
func TestRunsThatAreRefused(t *testing.T) {
	for _, c := range []struct {
		policy string
		late   bool
		events []sched.Event
		want   string
	}{
		{"fifo", false, []sched.Event{{Kind: sched.Resync}, {Kind: sched.Control, Control: sched.Watch}}, "line 4: the referee does not know what a policy wants that is to watch"},
		{"fifo", true, nil, "line 1: this world binds late; the referee predicts tasks"},
	} {
		var text bytes.Buffer
		w, err := writing.NewWriter(&text, writing.Header{World: sched.Capabilities{World: "sim", Bind: !c.late}, Policy: c.policy})
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Batch(1, 0, c.events); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if _, err = referee.Judge(text.Bytes(), referee.Options{}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.policy, err, c.want)
		}
	}
}
