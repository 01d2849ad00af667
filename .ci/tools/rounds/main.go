// Command rounds runs eight real jobs side by side, so many rounds, under promise(level=95%), and prints how many
// promises were kept, and how many jobs were done by the instants that were said at their submission. The first four
// rounds have no deadlines: they teach. On a machine that does nothing else 24 rounds take some six minutes.
//
//	rounds SLACKLINE ROUNDS
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
)

// job is one of the eight, by its input in MB.
type job struct {
	name, app string
	size      int
	more      string
}

var jobs = []job{{"words60", "wordcount", 60, ""}, {"words120", "wordcount", 120, ""}, {"sort60", "sort", 60, ""}, {"sort120", "sort", 120, ""},
	{"index", "index", 60, ""}, {"top", "topk", 60, "reduces: 1\n"}, {"find", "grep", 120, "params: {pattern: w1.*}\n"}, {"tera", "terasort", 0, ""}}

const teaching = 4

// told is what a run reports of a job.
type told struct {
	ID        string   `json:"id"`
	Submitted float64  `json:"submitted_s"`
	Finished  *float64 `json:"finished_s"`
	Deadline  *float64 `json:"deadline_s"`
	Promised  *float64 `json:"promised_s"`
	Outlooks  []struct {
		Half     float64 `json:"p50_s"`
		Ninety   float64 `json:"p90_s"`
		Promised float64 `json:"promised_s"`
	} `json:"outlooks"`
}

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: rounds SLACKLINE ROUNDS")
		os.Exit(2)
	}
	rounds, err := strconv.Atoi(os.Args[2])
	if err == nil {
		err = play(os.Args[1], rounds)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func play(binary string, rounds int) error {
	dir, err := os.MkdirTemp("", "rounds")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if binary, err = filepath.Abs(binary); err != nil {
		return err
	}
	run := func(args ...string) ([]byte, error) {
		cmd := exec.Command(binary, append([]string{"run", "--store", "store"}, args...)...)
		var out, said bytes.Buffer
		cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &out, &said
		if err := cmd.Run(); err != nil && cmd.ProcessState.ExitCode() != 3 { // 3: something was refused or late
			return nil, fmt.Errorf("%w\n%s", err, said.Bytes())
		}
		return out.Bytes(), nil
	}
	r := rand.New(rand.NewPCG(1, 1))
	for _, mb := range []int{60, 120} {
		if err := words(filepath.Join(dir, fmt.Sprintf("%d.txt", mb)), mb, r); err != nil {
			return err
		}
	}
	for name, text := range map[string]string{"rows.txt": "0 1000000\n",
		"gen.yaml": "name: gen\napp: teragen\ninput: [rows.txt]\noutput: rows\nreduces: 0\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			return err
		}
	}
	if _, err := run("gen.yaml", "-q"); err != nil {
		return err
	}
	took := map[string]float64{}
	all, kept, by := 0, 0, [3]int{}
	for round := range rounds {
		at := 0.0
		args := []string{"--policy", "promise(level=95%)", "--block", "4MB", "-o", "json"}
		for _, i := range r.Perm(len(jobs)) {
			j := jobs[i]
			input := fmt.Sprintf("%d.txt", j.size)
			if j.size == 0 {
				input = "rows"
			}
			out := fmt.Sprintf("out/%d/%s", round, j.name)
			text := fmt.Sprintf("name: %s\napp: %s\ninput: [%s]\noutput: %s\narrive: %.2fs\n%s", j.name, j.app, input, out, at, j.more)
			if round >= teaching {
				text += fmt.Sprintf("deadline: %.2fs\n", took[j.name]*(1.2+6.8*r.Float64()))
			}
			if err := os.WriteFile(filepath.Join(dir, j.name+".yaml"), []byte(text), 0o666); err != nil {
				return err
			}
			args = append(args, j.name+".yaml")
			at += 1 + 2*r.Float64()
		}
		text, err := run(args...)
		if err != nil {
			return err
		}
		var report struct{ Runs []struct{ Jobs []told } }
		if err := json.Unmarshal(text, &report); err != nil {
			return err
		}
		for _, j := range report.Runs[0].Jobs {
			if j.Finished == nil {
				continue
			}
			if t := *j.Finished - j.Submitted; round < teaching && (took[j.ID] == 0 || t < took[j.ID]) {
				took[j.ID] = t
			}
			if j.Promised == nil || j.Deadline == nil || len(j.Outlooks) == 0 {
				continue
			}
			all++
			for i, said := range []float64{j.Outlooks[0].Half, j.Outlooks[0].Ninety, j.Outlooks[0].Promised} {
				if *j.Finished <= said {
					by[i]++
				}
			}
			if *j.Finished <= *j.Deadline {
				kept++
			}
		}
		if err := os.RemoveAll(filepath.Join(dir, "out")); err != nil {
			return err
		}
		fmt.Printf("round %d of %d: so far %d promised, %d kept\n", round+1, rounds, all, kept)
	}
	fmt.Printf("of %d jobs with deadlines %d promised at 95 %%, %d kept\n", max(0, rounds-teaching)*len(jobs), all, kept)
	fmt.Printf("of the promised, done by the instant that was said at submission to hold with 50, 90 and 95 %%: %d, %d and %d\n", by[0], by[1], by[2])
	return nil
}

// words writes a file of so many MB of words, the n-th of which is as frequent as 1/n.
func words(path string, mb int, r *rand.Rand) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer f.Close()
	w, z, size := bufio.NewWriter(f), rand.NewZipf(r, 1.1, 1, 50_000), 0
	for i := 1; size < mb<<20; i++ {
		end := byte(' ')
		if i%10 == 0 {
			end = '\n'
		}
		n, _ := fmt.Fprintf(w, "w%d%c", z.Uint64(), end)
		size += n
	}
	return w.Flush()
}
