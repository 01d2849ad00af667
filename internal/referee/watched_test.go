package referee_test

import (
	"bytes"
	"strings"
	"testing"

	writing "github.com/slackline/slackline/internal/kernel/journal"
	"github.com/slackline/slackline/internal/referee"
	"github.com/slackline/slackline/sched"
)

// A run in which all was told again, as where a policy only watched, the referee does not judge, and
// says so in one sentence.
func TestWatchedRunsAreRefused(t *testing.T) {
	var text bytes.Buffer
	w, err := writing.NewWriter(&text, writing.Header{World: sched.Capabilities{World: "sim", Bind: true}, Policy: "fifo"})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Batch(1, 0, []sched.Event{{Kind: sched.Resync}, {Kind: sched.Control, Control: sched.Watch}}); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	_, err = referee.Judge(text.Bytes(), referee.Options{})
	if err == nil || !strings.Contains(err.Error(), `line 3: the referee does not know events of the kind "resync"`) {
		t.Errorf("%v", err)
	}
}
