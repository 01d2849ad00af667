package referee_test

import (
	"bytes"
	"strings"
	"testing"

	writing "github.com/slackline/slackline/internal/kernel/journal"
	"github.com/slackline/slackline/internal/referee"
	"github.com/slackline/slackline/sched"
)

// A run in a world that binds late is refused in one sentence.
func TestRunsThatAreRefused(t *testing.T) {
	var text bytes.Buffer
	w, err := writing.NewWriter(&text, writing.Header{World: sched.Capabilities{World: "sim"}, Policy: "fifo"})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	const want = "line 1: this world binds late; the referee predicts tasks"
	if _, err = referee.Judge(text.Bytes(), referee.Options{}); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v, want %s", err, want)
	}
}
