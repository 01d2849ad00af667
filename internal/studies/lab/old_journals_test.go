package lab

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/slackline/slackline/internal/kernel/journal"
)

// Journals of builds of before, named by the day of the build and what decided, or ran, are decided as they were. Those
// of a form that is not read any more are refused, with the build that does. They are never written again: where
// a policy is meant to decide otherwise now, its journal here gives way to one of a later build.
func TestOldJournals(t *testing.T) {
	files, err := filepath.Glob("testdata/journals/*.txt")
	if err != nil {
		t.Fatal(err)
	}
	read, refused := 0, 0
	for _, file := range files {
		r, err := Replay(t.Context(), file)
		var line *journal.LineError
		if day := filepath.Base(file)[:len("2026-11-21")]; day == "2026-11-21" { // form 1
			const says = "the journal has format 1, this build reads format 3; slackline before 0.1.0 (revision 93031db) reads it"
			if !errors.As(err, &line) || line.Line != 1 || line.What != says {
				t.Errorf("%s: %v", file, err)
			}
			refused++
			continue
		}
		if strings.HasSuffix(file, "2026-11-22-rtmr.txt") { // its promises are told otherwise now
			const says = "; the journal has format 2, and slackline before 0.1.0 (revision ed9a2fa) repeats what it tells of promises"
			if !errors.As(err, &line) || !strings.HasSuffix(line.What, says) {
				t.Errorf("%s: %v", file, err)
			}
			refused++
			continue
		}
		if strings.HasSuffix(file, "2026-11-28-promise.txt") { // another policy promises with a probability now
			const says = "is another policy now, promise; slackline before 0.1.0 (revision ee09e414) repeats it"
			if err == nil || !strings.Contains(err.Error(), says) {
				t.Errorf("%s: %v", file, err)
			}
			refused++
			continue
		}
		if err != nil || r.Cut || r.Items == 0 {
			t.Errorf("%s: %+v, %v", file, r, err)
			continue
		}
		read++
		// and half of one as far as it goes
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.SplitAfter(string(text), "\n")
		shorter := filepath.Join(t.TempDir(), "shorter")
		if err := os.WriteFile(shorter, []byte(strings.Join(lines[:len(lines)/2], "")), 0o600); err != nil {
			t.Fatal(err)
		}
		if r, err := Replay(t.Context(), shorter); err != nil || !r.Cut {
			t.Errorf("half of %s: %+v, %v", file, r, err)
		}
	}
	if read == 0 || refused == 0 {
		t.Errorf("%d journals were read, %d refused", read, refused)
	}
}
