package process

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/slackline/slackline/internal/worlds/engine/process/commandtest"
	"github.com/slackline/slackline/units"
)

// spent is the processor time of a process that lives, in the hundredths of a second that the system counts for us.
func spent(t *testing.T, pid int) units.Duration {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		t.Fatal(err)
	}
	var sum units.Duration
	for _, field := range strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:]))[11:13] {
		ticks, err := strconv.ParseInt(field, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		sum += units.Duration(ticks) * 10 * units.Millisecond
	}
	return sum
}

func children(t *testing.T) units.Duration {
	t.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_CHILDREN, &u); err != nil {
		t.Fatal(err)
	}
	return units.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// disown gives orphans to init, as in a process that always had cgroups, until the test ends.
func disown(t *testing.T) {
	t.Helper()
	set := func(n uintptr) {
		if _, _, errno := syscall.RawSyscall6(syscall.SYS_PRCTL, prSetChildSubreaper, n, 0, 0, 0, 0); errno != 0 {
			t.Fatal(errno)
		}
	}
	if adopted.Swap(false) {
		set(0)
		t.Cleanup(func() { set(1); adopted.Store(true) })
	}
}

// What a daemon takes that left group and parent is counted: by its cgroup, or because it is ours to wait for.
func TestProcessorTimeOfDaemons(t *testing.T) {
	each(t, func(t *testing.T) {
		if os.Getenv(noCgroups) == "" {
			disown(t)
		}
		before, tally := children(t), StartTally()
		p, r := shell(t, `(`+commandtest.Line("setsid")+` sh -c 'echo $$; while :; do :; done' &); sleep 1000`, Limits{})
		daemon := numbers(t, r, 1)[0]
		for spent(t, daemon) < 100*units.Millisecond {
			time.Sleep(time.Millisecond)
		}
		least := spent(t, daemon)
		if err := p.End(); err != nil {
			t.Error(err)
		}
		u := tally.Stop()
		if got := u.Unwaited + children(t) - before; u.Families != 1 || got < least-20*units.Millisecond {
			t.Errorf("%+v, with children %v; the daemon alone took %v", u, got, least)
		}
		if p.family.group == nil && u.Unwaited != 0 {
			t.Errorf("%v are counted twice", u.Unwaited)
		}
	})
}

// What was waited for is not counted again.
func TestNothingIsCountedTwice(t *testing.T) {
	each(t, func(t *testing.T) {
		tally := StartTally()
		p, _ := shell(t, `i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done`, Limits{})
		<-p.Ended()
		if err := p.End(); err != nil {
			t.Error(err)
		}
		if u, all := tally.Stop(), waited(p.cmd.ProcessState); max(u.Unwaited, -u.Unwaited) > all/4 {
			t.Errorf("%v of %v are not waited for", u.Unwaited, all)
		}
	})
}

// The memory of a family is that of all its members together.
func TestMemoryOfAFamily(t *testing.T) {
	each(t, func(t *testing.T) {
		first, second := StartTally(), StartTally()
		p, r := shell(t, commandtest.Line("eat 32 stay")+` & `+commandtest.Line("eat 32 stay")+` & wait`, Limits{})
		numbers(t, r, 2)
		deadline := time.Now().Add(30 * time.Second)
		for p.family.peak.Load() < 64<<20 && !(p.family.group != nil && p.family.group.peaks) && time.Now().Before(deadline) {
			time.Sleep(time.Millisecond)
		}
		if err := p.End(); err != nil {
			t.Error(err)
		}
		want := ByLooks
		if p.family.group != nil && p.family.group.peaks {
			want = ByKernel
		}
		u := first.Stop()
		if u.Memory < 64*units.MB || u.Memory > units.GB || u.Counted != want {
			t.Errorf("%+v, want 64 MB by %s", u, want)
		}
		small, _ := shell(t, `exit 0`, Limits{})
		<-small.Ended()
		if err := small.End(); err != nil {
			t.Error(err)
		}
		if got := first.Stop(); got != u {
			t.Errorf("a tally that was stopped goes on: %+v", got)
		}
		if got := second.Stop(); got.Families != 2 || got.Memory != u.Memory || p.family.group != nil && got.Grouped != 2 || p.family.group == nil && got.Grouped != 0 {
			t.Errorf("two families: %+v, the larger has %v", got, u.Memory)
		}
	})
}

// What is over before anybody looks is seen by the kernel. Before it becomes the command a new
// process has our memory, which is not told as the command's.
func TestMemoryOfTheLargest(t *testing.T) {
	for script, want := range map[string]units.Bytes{commandtest.Line("eat 512"): 512 * units.MB, `exit 0`: 0} {
		p, _ := shell(t, script, Limits{})
		<-p.Ended()
		if got := largest(p.cmd.ProcessState); got < want || got > 4*want {
			t.Errorf("%v, want %v or somewhat more", got, want)
		}
		if err := p.End(); err != nil {
			t.Error(err)
		}
	}
	if largest(nil) != 0 {
		t.Error("nothing has memory")
	}
}

// The kernel's own numbers, where it has the controllers, go before all others.
func TestNumbersOfACgroup(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"cpu.stat": "usage_usec 2500000\nuser_usec 2000000\n", "memory.peak": "123456\n", "memory.events": "oom 2\noom_kill 1\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	g := &cgroup{path: dir, bounded: true}
	g.measure()
	f := family{group: g}
	f.peak.Store(999_999_999)
	if got, want := f.taken(nil), (Usage{Grouped: 1, Unwaited: 2500 * units.Millisecond, Memory: 123456, Counted: ByKernel}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	if !g.starved() {
		t.Error("a kill for want of memory is not seen")
	}
	g.path += "/gone"
	g.measure()
	if g.used == 0 || g.most == 0 || g.starved() {
		t.Errorf("what is gone changes something: %+v", g)
	}
}
