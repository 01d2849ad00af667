package process

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/slackline/slackline/units"
)

// family is a command with all that it started.
type family struct {
	root  int
	mark  string // in the environment of all of them, unless they clear it
	group *cgroup
	peak  atomic.Int64 // bytes, the most that a look saw

	lock  sync.Mutex
	known map[int]uint64 // members that were seen outside of the process group: when they started, by number
}

// markName is the variable of the environment that tells whose a process is.
const markName = "SLACKLINE_FAMILY"

var marks atomic.Int64

const prSetChildSubreaper = 36

// adopt makes this process the parent of orphans below it.
var adopt = sync.OnceFunc(func() {
	_, _, errno := syscall.RawSyscall6(syscall.SYS_PRCTL, prSetChildSubreaper, 1, 0, 0, 0, 0)
	adopted.Store(errno == 0)
})

var adopted atomic.Bool

// roots are the commands of all families that have not ended.
var roots = struct {
	lock sync.Mutex
	set  map[int]bool
}{set: map[int]bool{}}

func (f *family) start(cmd *exec.Cmd, limits *Limits) error {
	f.mark = fmt.Sprintf("%s=%d.%d", markName, os.Getpid(), marks.Add(1))
	if cmd.Env == nil {
		cmd.Env = os.Environ()
	}
	cmd.Env = append(cmd.Env, f.mark)
	attr := &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	cmd.SysProcAttr = attr
	limitFiles(cmd, limits.Files)
	if f.group = newCgroup(limits.Memory); f.group != nil {
		attr.UseCgroupFD, attr.CgroupFD = true, int(f.group.dir.Fd())
	} else {
		adopt()
	}
	if err := cmd.Start(); err != nil {
		if f.group != nil {
			_ = f.group.remove()
		}
		return err
	}
	f.root = cmd.Process.Pid
	roots.lock.Lock()
	roots.set[f.root] = true
	roots.lock.Unlock()
	return nil
}

// kill ends what can be reached with one call.
func (f *family) kill() {
	if f.group != nil {
		f.group.kill()
		return
	}
	for pid := range f.members() {
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
}

// end kills until nobody is left. The root has been waited for.
func (f *family) end() error {
	roots.lock.Lock()
	delete(roots.set, f.root)
	last := len(roots.set) == 0
	roots.lock.Unlock()
	if f.group != nil {
		return f.group.remove()
	}
	if err := f.quell(f.members); err != nil || !last {
		return err
	}
	return f.quell(strays)
}

// strays are orphans that we adopted and that no family knows. They cannot be told from those of
// another family, so they are looked for when there is no family left. What this process starts
// otherwise is in its own process group.
func strays() map[int]proc {
	if !adopted.Load() {
		return nil
	}
	table, err := processes()
	if err != nil {
		return nil
	}
	self := os.Getpid()
	found := map[int]proc{}
	for pid, p := range table {
		if p.parent == self && p.group != table[self].group {
			found[pid] = p
		}
	}
	roots.lock.Lock()
	defer roots.lock.Unlock()
	if len(roots.set) > 0 {
		return nil // a family began meanwhile
	}
	return found
}

// quell kills processes until there are no more.
func (f *family) quell(find func() map[int]proc) error {
	pause := time.Millisecond
	for waited := time.Duration(0); ; waited += pause {
		left := find()
		if len(left) == 0 {
			return nil
		}
		if waited > patience {
			return fmt.Errorf("%d processes of the command do not end", len(left))
		}
		for pid, p := range left {
			_ = syscall.Kill(pid, syscall.SIGKILL)
			if p.state == 'Z' && p.parent == os.Getpid() {
				_, _ = syscall.Wait4(pid, nil, syscall.WNOHANG, nil)
			}
		}
		time.Sleep(pause)
		pause = min(2*pause, 50*time.Millisecond)
	}
}

// patience is how long killed processes are waited for: one that is in the kernel cannot end before
// that lets it go.
const patience = 5 * time.Second

const (
	firstLook = 10 * time.Millisecond  // behind a start; each next one comes after twice the time
	boundLook = 100 * time.Millisecond // but at most that where memory is bounded
	// or that where a look only tells: without a cgroup it goes through all processes
	freeLook = 400 * time.Millisecond
)

// watch looks how much memory a family has, unless its cgroup tells, and bounds it, unless its
// cgroup does. 0 = no bound.
func (f *family) watch(limit units.Bytes, ended <-chan struct{}, kill func(error)) {
	if f.group != nil && f.group.bounded {
		limit = 0
	}
	most := boundLook
	if limit <= 0 {
		if f.group != nil && f.group.peaks {
			return
		}
		most = freeLook
	}
	go func() {
		pause := firstLook
		next := time.NewTimer(pause)
		defer next.Stop()
		for {
			select {
			case <-next.C:
			case <-ended:
				return
			}
			now := f.memory()
			f.peak.Store(max(f.peak.Load(), int64(now)))
			if limit > 0 && now > limit {
				kill(overMemory(limit))
				return
			}
			pause = min(2*pause, most)
			next.Reset(pause)
		}
	}()
}

// taken is what the family took, which has ended.
func (f *family) taken(state *os.ProcessState) Usage {
	u := Usage{Memory: units.Bytes(f.peak.Load()), Counted: ByLooks}
	if g := f.group; g != nil {
		u.Grouped = 1
		if g.used > 0 {
			u.Unwaited = g.used - g.reaped - waited(state)
		}
		if g.most > 0 {
			u.Memory, u.Counted = g.most, ByKernel
		}
	}
	if u.Memory == 0 {
		u.Counted = ""
	}
	return u
}

// verdict says what the kernel did to a family that was not killed by us.
func (f *family) verdict(limits *Limits) error {
	if f.group != nil && f.group.starved() {
		return overMemory(limits.Memory)
	}
	return nil
}

func (f *family) memory() (sum units.Bytes) {
	if f.group != nil {
		for _, pid := range f.group.members() {
			sum += resident(pid)
		}
		return sum
	}
	for pid := range f.members() {
		sum += resident(pid)
	}
	return sum
}

// resident is the memory of a process that no file backs.
func resident(pid int) units.Bytes {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0 // it has ended
	}
	var kB int64
	for line := range strings.Lines(string(text)) {
		name, rest, _ := strings.Cut(line, ":")
		if name == "RssAnon" || name == "RssShmem" {
			n, _ := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(rest), " kB"), 10, 64)
			kB += n
		}
	}
	return units.Bytes(kB) * units.KB
}

// proc is a line of the table of processes.
type proc struct {
	state                  byte
	parent, group, session int
	began                  uint64 // ticks since the machine started
}

// members returns the living and the dead members of a family without a cgroup.
func (f *family) members() map[int]proc {
	table, err := processes()
	if err != nil {
		return nil
	}
	f.lock.Lock()
	defer f.lock.Unlock()
	self := os.Getpid()
	in := map[int]proc{}
	for pid, p := range table {
		began, known := f.known[pid]
		if pid == f.root && p.parent == self || p.group == f.root || p.session == f.root || known && began == p.began ||
			p.parent == self && f.marked(pid) {
			in[pid] = p
		}
	}
	for more := true; more; { // and whoever descends from them
		more = false
		for pid, p := range table {
			if _, child := in[p.parent]; child {
				if _, already := in[pid]; !already {
					in[pid], more = p, true
				}
			}
		}
	}
	for pid, p := range in {
		if p.group != f.root {
			if f.known == nil {
				f.known = map[int]uint64{}
			}
			f.known[pid] = p.began
		}
	}
	return in
}

// marked tells whether a process bears the family's mark.
func (f *family) marked(pid int) bool {
	env, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid))
	if err != nil {
		return false
	}
	for v := range bytes.SplitSeq(env, []byte{0}) {
		if string(v) == f.mark {
			return true
		}
	}
	return false
}

func processes() (map[int]proc, error) {
	dir, err := os.Open("/proc")
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	names, err := dir.Readdirnames(-1)
	if err != nil {
		return nil, err
	}
	table := make(map[int]proc, len(names))
	for _, name := range names {
		pid, err := strconv.Atoi(name)
		if err != nil {
			continue
		}
		if text, err := os.ReadFile("/proc/" + name + "/stat"); err == nil {
			if p, err := parseStat(string(text)); err == nil {
				table[pid] = p
			}
		}
	}
	return table, nil
}

// parseStat reads /proc/PID/stat. The command's name, in parentheses, may hold anything.
func parseStat(text string) (p proc, err error) {
	fields := strings.Fields(text[strings.LastIndexByte(text, ')')+1:])
	if len(fields) < 20 {
		return p, errors.New("it is too short")
	}
	p.state = fields[0][0]
	for i, to := range []*int{&p.parent, &p.group, &p.session} {
		if *to, err = strconv.Atoi(fields[1+i]); err != nil {
			return p, err
		}
	}
	p.began, err = strconv.ParseUint(fields[19], 10, 64)
	return p, err
}

func how() string {
	g := newCgroup(0)
	if g == nil {
		return "process groups, orphans adopted; memory sampled from /proc ten times a second"
	}
	memory := "memory sampled from /proc ten times a second"
	if _, err := os.Stat(g.path + "/memory.max"); err == nil {
		memory = "memory by the kernel"
	}
	_ = g.remove()
	return "cgroups (version 2); " + memory
}
