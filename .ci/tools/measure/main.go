// Command measure plays a trace under several policies, cut and repeated, and on clusters of
// several sizes, each in a process of its own on one core, with and without a journal on two as
// well, and prints wall time, events, events a second, and peak memory.
//
//	measure SLACKLINE TRACE RUNS
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
)

// play is one scenario to be played.
type play struct {
	policy, part, trace string
	nodes, runs         int
	journal, two        bool // with a journal, on two cores
}

// figures are what one process came to.
type figures struct {
	wall   float64 // of the run itself, s
	events int64
	tasks  int64
	memory float64 // peak of the process, MB; 0 = the system does not tell
}

func main() {
	if len(os.Args) != 4 {
		fmt.Fprintln(os.Stderr, "usage: measure SLACKLINE TRACE RUNS")
		os.Exit(2)
	}
	runs, err := strconv.Atoi(os.Args[3])
	if err == nil {
		err = measure(os.Args[1], os.Args[2], runs)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "measure:", err)
		os.Exit(1)
	}
}

func measure(command, trace string, runs int) error {
	trace, err := filepath.Abs(trace)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "measure-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	show := func(title string, plays []play) error {
		fmt.Printf("\n%s\n%-10s %-22s %6s %9s %12s %12s %10s %9s\n", title, "policy", "trace", "nodes", "wall s", "events", "events/s", "tasks/s", "peak MB")
		for _, p := range plays {
			p.trace = trace
			f, spread, err := p.median(command, dir)
			if err != nil {
				return err
			}
			fmt.Printf("%-10s %-22s %6d %9.2f %12d %12.0f %10.0f %9.0f   %s\n", p.policy, p.label(), p.nodes, f.wall, f.events, float64(f.events)/f.wall,
				float64(f.tasks)/f.wall, f.memory, spread)
		}
		return nil
	}
	var day, growth, sizes, recorded []play
	for _, policy := range []string{"fifo", "fair", "edf-p"} {
		day = append(day, play{policy: policy, nodes: 600, runs: runs})
	}
	for _, part := range []string{"first: 3h", "first: 6h", "first: 12h", "", "first: 24h, repeat: 2", "first: 24h, repeat: 4"} {
		growth = append(growth, play{policy: "fifo", part: part, nodes: 600, runs: 1})
	}
	for _, nodes := range []int{100, 1000, 10000, 100000} {
		for _, policy := range []string{"fifo", "fair", "edf-p"} {
			sizes = append(sizes, play{policy: policy, part: "first: 6h", nodes: nodes, runs: 1})
		}
	}
	for _, two := range []bool{false, true} {
		for _, journal := range []bool{false, true} {
			recorded = append(recorded, play{policy: "fifo", part: "first: 6h", nodes: 600, runs: runs, journal: journal, two: two})
		}
	}
	for _, part := range []struct {
		title string
		plays []play
	}{
		{fmt.Sprintf("The whole day on 600 nodes; medians of %d runs", runs), day},
		{"The day cut and repeated", growth},
		{"Clusters of other sizes", sizes},
		{fmt.Sprintf("Without and with a journal (to the null device); medians of %d runs", runs), recorded},
	} {
		if err := show(part.title, part.plays); err != nil {
			return err
		}
	}
	return nil
}

func (p *play) label() string {
	name := p.part
	if name == "" {
		name = "whole"
	}
	if p.journal {
		name += " +j"
	}
	if p.two {
		name += " (2 cores)"
	}
	return name
}

// median runs it so often and returns the median by wall time, and the spread in words.
func (p *play) median(command, dir string) (figures, string, error) {
	var all []figures
	for range p.runs {
		f, err := p.once(command, dir)
		if err != nil {
			return f, "", fmt.Errorf("%s, %s, %d nodes: %w", p.policy, p.label(), p.nodes, err)
		}
		all = append(all, f)
	}
	slices.SortFunc(all, func(a, b figures) int { return int(1e6 * (a.wall - b.wall)) })
	spread := ""
	if len(all) > 1 {
		spread = fmt.Sprintf("(%.2f to %.2f s)", all[0].wall, all[len(all)-1].wall)
	}
	return all[len(all)/2], spread, nil
}

func (p *play) once(command, dir string) (figures, error) {
	extra := ""
	if p.part != "" {
		extra = ", " + p.part
	}
	scenario := fmt.Sprintf("cluster: {nodes: %d, racks: 30, map_slots: 6, reduce_slots: 2, heartbeat: 3s, replicas: 3}\nworkload: {trace: {format: swim, file: %q%s}}\n",
		p.nodes, p.trace, extra)
	file := filepath.Join(dir, "day.yaml")
	if err := os.WriteFile(file, []byte(scenario), 0o666); err != nil {
		return figures{}, err
	}
	args := []string{"simulate", file, "--policy", p.policy, "-o", "json"}
	if p.journal {
		args = append(args, "--journal", os.DevNull)
	}
	cmd := exec.Command(command, args...)
	cores := 1
	if p.two {
		cores = 2
	}
	cmd.Env = append(os.Environ(), fmt.Sprintf("GOMAXPROCS=%d", cores))
	var stdout bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, os.Stderr
	if err := cmd.Run(); err != nil {
		return figures{}, err
	}
	var report struct {
		Runs []struct {
			Summary struct {
				Wall   float64 `json:"wall_s"`
				Events int64   `json:"events"`
				Tasks  int64   `json:"tasks"`
			} `json:"summary"`
		} `json:"runs"`
	}
	if err := json.Unmarshal(stdout.Bytes(), &report); err != nil || len(report.Runs) != 1 {
		return figures{}, fmt.Errorf("no report: %v", err)
	}
	s := report.Runs[0].Summary
	return figures{s.Wall, s.Events, s.Tasks, peak(cmd.ProcessState)}, nil
}
