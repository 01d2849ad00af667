//go:build unix

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What stands in a log is run only if nobody else can have put it there.
func TestResumeRunsNoStrangersCommand(t *testing.T) {
	_, _, s := interrupt(t, os.Interrupt)
	out, below, log := s.path("out/long"), s.path("out/long/_temporary"), s.path("out/long/_temporary/log")
	for _, dir := range []string{s.dir, filepath.Dir(s.dir)} { // whatever the umask is
		if err := os.Chmod(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	chmod := func(mode os.FileMode) func(string) error {
		return func(path string) error { return os.Chmod(path, mode) }
	}
	chown := func(path string) error { return os.Lchown(path, 4321, 4321) }
	restore := func() {
		for path, mode := range map[string]os.FileMode{s.path("out"): 0o755, out: 0o755, below: 0o755, log: 0o644} {
			_ = os.Lchown(path, os.Geteuid(), os.Getegid())
			if err := os.Chmod(path, mode); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, c := range []struct {
		name string
		path string
		do   func(string) error
		want string // "" = it goes on
	}{
		{"as it was left", out, chmod(0o755), ""},
		{"for the user alone", out, chmod(0o700), ""},
		{"output for all", out, chmod(0o777), "others may write to " + out + " (its mode is 0777"},
		{"output for all, sticky", out, chmod(os.ModeSticky | 0o777), "others may write to " + out},
		{"folder for the group", below, chmod(0o775), "others may write to " + below},
		{"log for others", log, chmod(0o646), "others may write to " + log},
		{"folder above for all", s.path("out"), chmod(0o777), "others may write to " + s.path("out")},
		{"folder above for all, sticky", s.path("out"), chmod(os.ModeSticky | 0o777), ""},
		{"log of another", log, chown, log + " belongs to user 4321"},
		{"folder of another", below, chown, below + " belongs to user 4321"},
		{"output of another", out, chown, out + " belongs to user 4321"},
		{"folder above of another", s.path("out"), chown, s.path("out") + " belongs to user 4321"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s.t = t
			restore()
			defer restore()
			if strings.HasSuffix(c.name, "of another") && os.Geteuid() != 0 {
				t.Skip("NOT CHECKED: only root can give files away")
			}
			if strings.Contains(c.name, "group") && os.Geteuid() != 0 {
				t.Skip("NOT CHECKED: the group may be the user's own")
			}
			if err := c.do(c.path); err != nil {
				t.Fatal(err)
			}
			if c.want == "" {
				if code, said := s.interrupted(s.command("resume", "out/long"), os.Interrupt); code != exitInterrupt || !strings.Contains(said, ": slackline run -- long.yaml\n") {
					t.Errorf("exit code %d: %s", code, said)
				}
				return
			}
			for _, args := range [][]string{{"resume", "out/long"}, {"resume", "long.yaml"}, {"resume", "long"}, {"resume"}} {
				r := s.run(args...)
				if r.code != exitBadInput || !strings.Contains(r.stderr, c.want) || strings.Contains(r.stderr, "slackline run --") || !strings.Contains(r.stderr, "run the job again instead") {
					t.Errorf("%v: exit code %d: %s\nwant %s", args, r.code, r.stderr, c.want)
				}
			}
			if code, said := s.interrupted(s.command("run", "long.yaml"), os.Interrupt); code != exitInterrupt || !strings.HasSuffix(said, "interrupted; the same command continues it\n") {
				t.Errorf("exit code %d: %s", code, said)
			}
		})
	}
	// A link to it is followed before anything is looked at.
	restore()
	if err := os.Symlink(out, filepath.Join(s.dir, "link")); err != nil {
		t.Fatal(err)
	}
	if code, said := s.interrupted(s.command("resume", "link"), os.Interrupt); code != exitInterrupt {
		t.Errorf("exit code %d: %s", code, said)
	}
}
