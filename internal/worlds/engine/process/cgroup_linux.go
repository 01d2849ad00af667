package process

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/slackline/slackline/units"
)

// cgroup is a control group (version 2) for one family.
type cgroup struct {
	path    string
	dir     *os.File
	bounded bool // the kernel keeps the limit on memory
	peaks   bool // and tells the most that there was

	lock sync.Mutex
	seen []int // members that were killed

	// processor time of all members, and of those that we waited for as their reaper; once it is
	// removed
	used, reaped units.Duration
	most         units.Bytes // memory; 0: not told
}

var cgroups atomic.Int64

// noCgroups forbids them, to test what holds without.
const noCgroups = "SLACKLINE_NO_CGROUPS"

// newCgroup makes one below our own, nil if that is not possible.
func newCgroup(memory units.Bytes) *cgroup {
	base := ownCgroup()
	if base == "" || os.Getenv(noCgroups) != "" {
		return nil
	}
	sweep()
	g := &cgroup{path: filepath.Join(base, fmt.Sprintf(cgroupPrefix+"%d-%d", os.Getpid(), cgroups.Add(1)))}
	if os.Mkdir(g.path, 0o755) != nil {
		return nil
	}
	var err error
	if g.dir, err = os.Open(g.path); err != nil {
		_ = os.Remove(g.path)
		return nil
	}
	// As long as we live and hold it open, it is ours.
	if syscall.Flock(int(g.dir.Fd()), syscall.LOCK_SH|syscall.LOCK_NB) != nil {
		_ = g.remove()
		return nil
	}
	// Without cgroup.kill (before Linux 5.14), or without the right to put a process into it, it is of no use.
	for _, file := range []string{"cgroup.kill", "cgroup.procs"} {
		f, err := os.OpenFile(filepath.Join(g.path, file), os.O_WRONLY, 0)
		if err != nil {
			_ = g.remove()
			return nil
		}
		f.Close()
	}
	_, g.peaks = g.count("memory.peak", "")
	if memory > 0 {
		g.bounded = g.write("memory.max", strconv.FormatInt(int64(memory), 10)) == nil
		_ = g.write("memory.swap.max", "0") // else it would swap instead
		_ = g.write("memory.oom.group", "1")
	}
	return g
}

const (
	cgroupPrefix = "slackline-"
	cgroupYouth  = 10 * time.Second // in which its maker may not have locked it yet
)

var sweep = sync.OnceFunc(sweepCgroups)

// sweepCgroups ends the families of processes like us that were killed and could not do so themselves.
func sweepCgroups() {
	left, _ := filepath.Glob(filepath.Join(ownCgroup(), cgroupPrefix+"*")) // the pattern is well formed
	for _, path := range left {
		dir, err := os.Open(path)
		if err != nil {
			continue
		}
		info, err := dir.Stat()
		if err == nil && (time.Since(info.ModTime()) > cgroupYouth || makerDied(filepath.Base(path))) && syscall.Flock(int(dir.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil {
			g := &cgroup{path: path}
			_ = g.remove() // if it does not end, it does not end
		}
		dir.Close()
	}
}

// makerDied tells from its name that the maker of a cgroup is no more, so that nobody can be about
// to lock it. A number that was given to another process since says no; one of a process that has
// ended and that nobody has waited for says yes.
func makerDied(name string) bool {
	pid, _, _ := strings.Cut(strings.TrimPrefix(name, cgroupPrefix), "-")
	n, err := strconv.Atoi(pid)
	return err == nil && n > 0 && (syscall.Kill(n, 0) == syscall.ESRCH || ended(n))
}

// ended tells whether a process is a zombie.
func ended(pid int) bool {
	stat, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid)) // nothing, if it is no more
	p, err := parseStat(string(stat))
	return err == nil && p.state == 'Z'
}

// ownCgroup is where our own cgroup is mounted, and processes can be put into others; else empty.
var ownCgroup = sync.OnceValue(func() string {
	own, err := os.ReadFile("/proc/self/cgroup")
	if err != nil {
		return ""
	}
	mounts, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return ""
	}
	below := cgroupPath(string(own))
	root, at := cgroupMount(string(mounts))
	if below == "" || at == "" {
		return ""
	}
	rel, err := filepath.Rel(root, below)
	if err != nil || strings.HasPrefix(rel, "..") {
		return "" // what is mounted is another part of the tree
	}
	return filepath.Join(at, rel)
})

// cgroupPath finds our place in the unified tree: 0::/user.slice/…
func cgroupPath(text string) string {
	for line := range strings.Lines(text) {
		if path, ok := strings.CutPrefix(strings.TrimSuffix(line, "\n"), "0::"); ok {
			return path
		}
	}
	return ""
}

// cgroupMount finds where the unified tree is mounted, and which part of it.
func cgroupMount(text string) (root, at string) {
	for line := range strings.Lines(text) {
		left, right, _ := strings.Cut(line, " - ")
		f, kind := strings.Fields(left), strings.Fields(right)
		if len(f) >= 5 && len(kind) > 0 && kind[0] == "cgroup2" {
			return f[3], f[4]
		}
	}
	return "", ""
}

func (g *cgroup) write(file, text string) error {
	f, err := os.OpenFile(filepath.Join(g.path, file), os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	f.Close()
	return err
}

func (g *cgroup) kill() {
	if adopted.Load() { // orphans among them become ours to bury
		g.lock.Lock()
		g.seen = append(g.seen, g.members()...)
		g.lock.Unlock()
	}
	_ = g.write("cgroup.kill", "1")
}

func (g *cgroup) members() (pids []int) {
	text, err := os.ReadFile(filepath.Join(g.path, "cgroup.procs"))
	if err != nil {
		return nil
	}
	for line := range strings.Lines(string(text)) {
		if pid, err := strconv.Atoi(strings.TrimSpace(line)); err == nil {
			pids = append(pids, pid)
		}
	}
	return pids
}

// starved tells whether the kernel killed a member for want of memory.
func (g *cgroup) starved() bool {
	if !g.bounded {
		return false
	}
	n, _ := g.count("memory.events", "oom_kill ")
	return n > 0
}

// count reads a number that the kernel keeps of the cgroup: what follows the name on its line, or all there is.
func (g *cgroup) count(file, name string) (int64, bool) {
	text, err := os.ReadFile(filepath.Join(g.path, file))
	if err != nil {
		return 0, false
	}
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(line, name); ok {
			n, err := strconv.ParseInt(strings.TrimSpace(rest), 10, 64)
			return n, err == nil
		}
	}
	return 0, false
}

// measure takes down what the members have taken so far. It is gone with the cgroup.
func (g *cgroup) measure() {
	if us, ok := g.count("cpu.stat", "usage_usec "); ok {
		g.used = units.Duration(us) * units.Microsecond
	}
	if n, ok := g.count("memory.peak", ""); ok {
		g.most = units.Bytes(n)
	}
}

// remove kills all members and removes the cgroup.
func (g *cgroup) remove() error {
	if g.dir != nil {
		g.dir.Close()
		g.dir = nil
	}
	pause := time.Millisecond
	for waited := time.Duration(0); ; waited += pause {
		g.measure()
		err := os.Remove(g.path)
		if err == nil || os.IsNotExist(err) {
			g.lock.Lock()
			defer g.lock.Unlock()
			for _, pid := range g.seen {
				var u syscall.Rusage
				if got, err := syscall.Wait4(pid, nil, syscall.WNOHANG, &u); err == nil && got == pid {
					g.reaped += units.Duration(u.Utime.Nano() + u.Stime.Nano())
				}
			}
			return nil
		}
		if waited > patience {
			return fmt.Errorf("%d processes of the command do not end", len(g.members()))
		}
		g.kill()
		time.Sleep(pause)
		pause = min(2*pause, 50*time.Millisecond)
	}
}
