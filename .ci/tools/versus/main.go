// Command versus runs the applications of the engine and the tools that people would otherwise use,
// in turn in one run, and prints seconds, MB/s, CPU seconds, peak memory and ratios.
//
//	versus [-mb 500] [-runs 3] [-only wordcount,small] [-raw PROGRAM] [-typed PROGRAM] SLACKLINE
//
// All read the same files, warm in the page cache, and write to the same disk. A round runs every
// program once, so that what else the machine does meets all of them. Peers that are not installed
// are left out, and named at the end; DuckDB is used through the Python that PYTHON names. The
// floor is a program for this one input without an engine around it; of grep, which reads once, it
// is that reading.
package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

func main() {
	if len(os.Args) > 1 && os.Args[1] == "floor" {
		exit(floor(os.Args[2:]))
	}
	mb := flag.Int("mb", 500, "size of the inputs in MB")
	runs := flag.Int("runs", 3, "rounds")
	raw := flag.String("raw", "", "a program of one's own that counts words by the raw API (examples/rawwords); left out if empty")
	typed := flag.String("typed", "", "one by typed functions (examples/words)")
	only := flag.String("only", "", "names of cases, separated by commas; all if empty")
	flag.Parse()
	if flag.NArg() != 1 || *mb < 1 || *runs < 1 {
		fmt.Fprintln(os.Stderr, "usage: versus [-mb 500] [-runs 3] [-only CASES] [-raw PROGRAM] [-typed PROGRAM] SLACKLINE")
		os.Exit(2)
	}
	b := bench{mb: *mb, slackline: path(flag.Arg(0)), raw: path(*raw), typed: path(*typed)}
	exit(b.compare(*runs, *only))
}

func exit(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "versus:", err)
		os.Exit(1)
	}
	os.Exit(0)
}

// figures are what one process came to.
type figures struct {
	wall, cpu float64 // s
	peak      float64 // most anonymous memory of the process and its children, MB; 0 = the system does not tell
}

// path makes a path that holds in every folder.
func path(name string) string {
	if name == "" {
		return ""
	}
	absolute, err := filepath.Abs(name)
	if err != nil {
		exit(err)
	}
	return absolute
}

func (b *bench) compare(runs int, only string) (err error) {
	if b.self, err = os.Executable(); err != nil {
		return err
	}
	if b.dir, err = os.MkdirTemp("", "versus-"); err != nil {
		return err
	}
	defer os.RemoveAll(b.dir)
	missing := make(map[string]bool)
	for _, c := range b.cases() {
		if only != "" && !slices.Contains(strings.Split(only, ","), c.name) {
			continue
		}
		if err := b.run(&c, runs, missing); err != nil {
			return fmt.Errorf("%s: %w", c.name, err)
		}
	}
	if len(missing) > 0 {
		var names []string
		for name := range missing {
			names = append(names, name)
		}
		slices.Sort(names)
		fmt.Printf("\nnot on this machine: %s\n", strings.Join(names, ", "))
	}
	return nil
}

// bench is what all cases share.
type bench struct {
	dir, self  string
	slackline  string
	raw, typed string // programs of one's own, "" = not there
	mb         int
}

// program is one of those that are compared. Its script runs in a folder of its own below the inputs.
type program struct {
	name   string
	needs  string // a command that must be there; "" = none
	script string
	kind   kind
}

type kind int

const (
	ours kind = iota
	peer
	bottom // the floor
)

// testCase is a piece of work that several programs do.
type testCase struct {
	name, title string
	bytes       int64 // of input
	inputs      func() error
	programs    []program
}

func (b *bench) run(c *testCase, runs int, missing map[string]bool) error {
	if err := c.inputs(); err != nil {
		return err
	}
	var there []program
	for _, p := range c.programs {
		if p.script == "" {
			continue
		}
		if p.needs != "" && !available(p.needs) {
			missing[p.name] = true
			continue
		}
		there = append(there, p)
	}
	all := make([][]figures, len(there))
	for range runs {
		for i, p := range there {
			f, err := b.once(p.script)
			if err != nil {
				return fmt.Errorf("%s: %w", p.name, err)
			}
			all[i] = append(all[i], f)
		}
	}
	print(c, there, all)
	return nil
}

func available(command string) bool {
	if module, ok := strings.CutPrefix(command, "python:"); ok {
		return exec.Command(python(), "-c", "import "+module).Run() == nil
	}
	_, err := exec.LookPath(command)
	return err == nil
}

func python() string {
	if p := os.Getenv("PYTHON"); p != "" {
		return p
	}
	return "python3"
}

// once runs a script in an empty folder.
func (b *bench) once(script string) (figures, error) {
	work := filepath.Join(b.dir, "work")
	if err := os.RemoveAll(work); err != nil {
		return figures{}, err
	}
	if err := os.Mkdir(work, 0o777); err != nil {
		return figures{}, err
	}
	cmd := exec.Command("bash", "-c", "set -o pipefail; "+script)
	cmd.Dir = work
	cmd.Env = append(os.Environ(), "LC_ALL=C", "SLACKLINE_DATA="+filepath.Join(b.dir, "data"))
	var out strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &out
	began := time.Now()
	if err := cmd.Start(); err != nil {
		return figures{}, err
	}
	watch := startWatch(cmd.Process.Pid)
	err := cmd.Wait()
	wall := time.Since(began).Seconds()
	peak := watch.end()
	if err != nil {
		return figures{}, fmt.Errorf("%w\n%s", err, out.String())
	}
	s := cmd.ProcessState
	return figures{wall, (s.UserTime() + s.SystemTime()).Seconds(), peak}, nil
}

// print prints a case: of each program the median by wall time, and the spread.
func print(c *testCase, programs []program, all [][]figures) {
	medians := make([]figures, len(programs))
	for i := range all {
		slices.SortFunc(all[i], func(a, b figures) int { return int(1e6 * (a.wall - b.wall)) })
		medians[i] = all[i][len(all[i])/2]
	}
	best, floor := 0.0, 0.0
	for i, p := range programs {
		switch {
		case p.kind == peer && (best == 0 || medians[i].wall < best):
			best = medians[i].wall
		case p.kind == bottom:
			floor = medians[i].wall
		}
	}
	ratio := func(to, wall float64) string {
		if to == 0 {
			return "–"
		}
		return fmt.Sprintf("%.2f", to/wall)
	}
	fmt.Printf("\n%s: %s\n%-30s %8s %16s %8s %8s %8s %10s %10s\n", c.name, c.title, "", "s", "spread", "MB/s", "CPU s", "peak MB", "best peer/", "floor/")
	for i, p := range programs {
		m := medians[i]
		fmt.Printf("%-30s %8.3f %16s %8.0f %8.2f %8.0f %10s %10s\n", p.name, m.wall, fmt.Sprintf("%.3f–%.3f", all[i][0].wall, all[i][len(all[i])-1].wall),
			float64(c.bytes)/1e6/m.wall, m.cpu, m.peak, ratio(best, m.wall), ratio(floor, m.wall))
	}
}
