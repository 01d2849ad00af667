package ledger

import (
	"bytes"
	"strings"
	"testing"

	"github.com/slackline/slackline/sched"
)

// A saved book goes on only where time counts from the same instant.
func TestSavedBookKeepsItsClock(t *testing.T) {
	at := sched.Capabilities{Bind: true, Origin: "2030-01-31T18:00:00Z"}
	var text bytes.Buffer
	if err := New(at, nil).Save(&text); err != nil || !strings.Contains(text.String(), at.Origin) {
		t.Fatalf("%v: %s", err, &text)
	}
	saved := text.Bytes()
	if err := New(at, nil).Load(bytes.NewReader(saved)); err != nil {
		t.Error(err)
	}
	err := New(sched.Capabilities{Bind: true}, nil).Load(bytes.NewReader(saved))
	if want := `the saved book counts time from "2030-01-31T18:00:00Z", this world from ""`; err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}
