//go:build !windows

package main

import (
	"os"
	"strings"
	"testing"
	"time"
)

const nightly = "name: words\napp: wordcount\ninput: [raw/{day}]\noutput: out/{day}/${REGION}\nreduces: 1\n"

// A run that begins after its deadline is late, says so, and ends with 3; the work is done nevertheless. What
// says the day, or a run that begins before, is not.
func TestRunThatWasHeldUp(t *testing.T) {
	t.Parallel()
	now := time.Now()
	day := now.Format(time.DateOnly)
	for _, c := range []struct {
		by   string
		args []string
		code int
	}{
		{now.Add(-2 * time.Minute).Format("15:04"), nil, exitNo},
		{now.Add(-2 * time.Minute).Format("15:04"), []string{"--as-of", now.Add(-time.Minute).Format(time.RFC3339)}, exitOK},
		{now.Add(-2 * time.Minute).Format("15:04"), []string{"--as-of", now.Add(-time.Hour).Format(time.RFC3339)}, exitNo},
		{"tomorrow " + now.Format("15:04"), nil, exitOK},
		{now.Add(-9 * time.Hour).Format("15:04"), nil, exitOK},
		{"{yesterday}T00:00", nil, exitNo},
	} {
		s := newShell(t, map[string]string{"n.yaml": nightly + "by: '" + c.by + "'\n", "raw/" + day + "/f": "a b a\n"})
		r := s.run(append([]string{"run", "n.yaml", "-q", "--set", "REGION=eu", "-o", "json"}, c.args...)...)
		sum := parse(t, r.stdout).Runs[0].Summary
		if late := strings.Contains(r.stderr, "it counts as late"); r.code != c.code || late != (c.code == exitNo) || (sum["late"] == 1.0) != late || sum["penalty"] != 0.0 {
			t.Errorf("%+v: exit code %d, %v: %s", c, r.code, sum, r.stderr)
		}
		if text, err := os.ReadFile(s.path("out/" + day + "/eu/part-r-00000")); err != nil || string(text) != "a\t2\nb\t1\n" {
			t.Errorf("%+v: %q, %v", c, text, err)
		}
	}
}

// A night that was interrupted is resumed as of the same night, with the same variables, whatever the day and
// the environment are by then.
func TestNightIsResumed(t *testing.T) {
	t.Parallel()
	s := newShell(t, map[string]string{"n.yaml": strings.Replace(nightly, "app: wordcount", held, 1), "raw/2030-01-30/f": "x\n"})
	s.hold("eu", "")
	cmd := s.command("run", "n.yaml", "--as-of", "2030-01-30T23:00", "-q")
	cmd.Env = append(cmd.Environ(), "REGION=eu")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	s.begun("out/2030-01-30/eu")
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	s.release("eu")
	r := s.run("resume", "out/2030-01-30/eu")
	if r.code != 0 || !strings.Contains(r.stderr, "--as-of=2030-01-30T23:00:00") || !strings.Contains(r.stderr, "--set=REGION=eu") {
		t.Error(r.stderr)
	}
	if _, err := os.Stat(s.path("out/2030-01-30/eu/_SUCCESS")); err != nil {
		t.Error(err)
	}
}
