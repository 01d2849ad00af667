package process

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/slackline/slackline/internal/worlds/engine/process/commandtest"
	"github.com/slackline/slackline/units"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	commandtest.Run()
	goleak.VerifyTestMain(m)
}

// each runs a test with cgroups, where they can be made, and without.
func each(t *testing.T, test func(t *testing.T)) {
	t.Run("cgroup", func(t *testing.T) {
		if g := newCgroup(0); g == nil {
			t.Skip("NOT CHECKED: no cgroup can be made here")
		} else if err := g.remove(); err != nil {
			t.Fatal(err)
		}
		test(t)
	})
	t.Run("group", func(t *testing.T) {
		t.Setenv(noCgroups, "1")
		test(t)
	})
}

func shell(t *testing.T, script string, limits Limits) (*Process, *os.File) {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	p, err := Start(Spec{Path: "/bin/sh", Args: []string{"-c", script}, Env: os.Environ(), Stdout: w, Limits: limits})
	w.Close()
	if err != nil {
		t.Fatal(err)
	}
	return p, r
}

// numbers reads so many process ids, one a line.
func numbers(t *testing.T, r *os.File, n int) (pids []int) {
	t.Helper()
	var text []byte
	for strings.Count(string(text), "\n") < n {
		b := make([]byte, 100)
		k, err := r.Read(b)
		if err != nil {
			t.Fatal(err)
		}
		text = append(text, b[:k]...)
	}
	for _, f := range strings.Fields(string(text)) {
		pid, err := strconv.Atoi(f)
		if err != nil {
			t.Fatal(err)
		}
		pids = append(pids, pid)
	}
	return pids
}

func gone(t *testing.T, pids []int) {
	t.Helper()
	for _, pid := range pids {
		for try := 0; ; try++ { // the death of an orphan is init's to take note of
			text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
			if err != nil {
				break
			}
			if try == 6000 { // a minute
				t.Errorf("process %d is left behind: %s", pid, text)
				_ = syscall.Kill(pid, syscall.SIGKILL)
				break
			}
			time.Sleep(10 * time.Millisecond)
		}
	}
}

func TestExitCode(t *testing.T) {
	each(t, func(t *testing.T) {
		p, _ := shell(t, "exit 3", Limits{})
		var exit *ExitError
		if err := p.Err(); !errors.As(err, &exit) || exit.Code != 3 {
			t.Errorf("exit 3 is %v", err)
		}
		if err := p.End(); err != nil {
			t.Error(err)
		}
		p, _ = shell(t, "kill -SEGV $$", Limits{})
		if err := p.Err(); err == nil || !strings.Contains(err.Error(), "segmentation fault") {
			t.Errorf("a segmentation fault is %v", err)
		}
		if err := p.End(); err != nil {
			t.Error(err)
		}
	})
}

// Whatever a command leaves behind goes with it: children, daemons that left group and parent, and
// those that cleared their environment.
func TestEndTakesTheWholeFamily(t *testing.T) {
	setsid := commandtest.Line("setsid")
	for name, script := range map[string]string{
		"children":       `sleep 1000 & echo $!; sleep 1000 & echo $!; sleep 1000`,
		"orphans":        `(sleep 1000 & echo $!; sleep 1000 & echo $!); exit 0`,
		"daemons":        setsid + ` sh -c 'echo $$; (` + setsid + ` sh -c "echo \$\$; exec sleep 1000" &) ; exec sleep 1000' & exit 0`,
		"no environment": `env -i /bin/sh -c '` + setsid + ` /bin/sh -c "exec sleep 1000" & echo $!'; env -i sh -c 'echo $$; exec sleep 1000'`,
	} {
		t.Run(name, func(t *testing.T) {
			each(t, func(t *testing.T) {
				p, r := shell(t, script, Limits{})
				pids := append(numbers(t, r, 2), p.ID())
				time.Sleep(20 * time.Millisecond)
				if err := p.End(); err != nil {
					t.Error(err)
				}
				gone(t, pids)
			})
		})
	}
}

func TestLimits(t *testing.T) {
	each(t, func(t *testing.T) {
		for _, c := range []struct {
			name, script, want string
			limits             Limits
		}{
			{"memory", commandtest.Line("eat 500 stay"), "more than 64MB of memory", Limits{Memory: 64 * units.MB}},
			{"memory of a child", `(` + commandtest.Line("eat 500 stay") + `); sleep 1000`, "more than 64MB of memory", Limits{Memory: 64 * units.MB}},
			{"time", `sleep 1000`, "longer than 100ms", Limits{Time: 100 * units.Millisecond}},
			{"files", `exec 3</dev/null 4</dev/null 5</dev/null 6</dev/null 7</dev/null 8</dev/null`, "exit code", Limits{Files: 6}},
		} {
			p, _ := shell(t, c.script, c.limits)
			if err := p.Err(); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s: %v, want %q", c.name, err, c.want)
			}
			if err := p.End(); err != nil {
				t.Errorf("%s: %v", c.name, err)
			}
		}
	})
}

// Families that end at the same time do not end each other.
func TestFamiliesAreApart(t *testing.T) {
	each(t, func(t *testing.T) {
		daemon := `(` + commandtest.Line("setsid") + ` sh -c 'echo $$; exec sleep 1000' &); exec sleep 1000`
		a, ra := shell(t, daemon, Limits{})
		b, rb := shell(t, daemon, Limits{})
		left, stays := numbers(t, ra, 1), numbers(t, rb, 1)
		time.Sleep(20 * time.Millisecond) // they become orphans
		if err := a.End(); err != nil {
			t.Error(err)
		}
		gone(t, left)
		select {
		case <-b.Ended():
			t.Error("the end of one family ended another")
		default:
		}
		if err := syscall.Kill(stays[0], 0); err != nil {
			t.Errorf("a daemon of the other family is gone: %v", err)
		}
		if err := b.End(); err != nil {
			t.Error(err)
		}
		gone(t, stays)
	})
}

// What a process that was killed left in its cgroups is ended by the next one; what is another's is let be.
func TestSweep(t *testing.T) {
	mine := newCgroup(0)
	if mine == nil {
		t.Skip("NOT CHECKED: no cgroup can be made here")
	}
	defer mine.remove()
	orphaned := filepath.Join(ownCgroup(), cgroupPrefix+"orphaned")
	if err := os.Mkdir(orphaned, 0o755); err != nil {
		t.Fatal(err)
	}
	old := time.Now().Add(-time.Hour)
	for _, dir := range []string{orphaned, mine.path} {
		if err := os.Chtimes(dir, old, old); err != nil {
			t.Fatal(err)
		}
	}
	g := &cgroup{path: orphaned}
	p := exec.Command("sleep", "1000")
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	if err := g.write("cgroup.procs", strconv.Itoa(p.Process.Pid)); err != nil {
		t.Fatal(err)
	}
	sweepCgroups()
	_ = p.Wait()
	// Another process of this user may be about to sweep it at the same time: then we leave it to that.
	for began := time.Now(); ; time.Sleep(10 * time.Millisecond) {
		if _, err := os.Stat(orphaned); err != nil {
			break
		}
		if time.Since(began) > time.Minute {
			t.Fatal("the cgroup of a process that is gone is left")
		}
	}
	if _, err := os.Stat(mine.path); err != nil {
		t.Errorf("a cgroup that is in use is gone: %v", err)
	}
}

func TestStartRefuses(t *testing.T) {
	each(t, func(t *testing.T) {
		if _, err := Start(Spec{Path: "/nothing/here"}); err == nil || err.Error() != "/nothing/here cannot be started: no such file or directory" {
			t.Errorf("%v", err)
		}
	})
}

func TestCgroupFiles(t *testing.T) {
	if got := cgroupPath("9:name=systemd:/a\n0::/user.slice/x.scope\n"); got != "/user.slice/x.scope" {
		t.Errorf("own cgroup %q", got)
	}
	if got := cgroupPath("1:cpu:/\n"); got != "" {
		t.Errorf("own cgroup %q, want none", got)
	}
	root, at := cgroupMount("30 23 0:26 / /sys rw - sysfs sysfs rw\n31 30 0:27 /part /sys/fs/cgroup rw shared:9 - cgroup2 cgroup2 rw\n")
	if root != "/part" || at != "/sys/fs/cgroup" {
		t.Errorf("mounted %q at %q", root, at)
	}
	if p, err := parseStat("12 (a ) b) S 1 12 13 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 4711 0"); err != nil || p != (proc{'S', 1, 12, 13, 4711}) {
		t.Errorf("%+v, %v", p, err)
	}
	if _, err := parseStat("12 (a) S 1"); err == nil {
		t.Error("half a line is read")
	}
}
