// Command rounds runs eight real jobs side by side, and a chain of six, so many rounds, under promise(level=95%), and
// prints how many promises were kept, how many jobs were done by the instants that were said at their submission, how
// far off these were then and at half of the time, and what ask had said before. The first four rounds have no
// deadlines: they teach. On a machine that does nothing else 24 rounds take some eight minutes.
//
//	rounds SLACKLINE ROUNDS
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// job is one of the eight, by its input in MB, or one of the chain, by whose output it reads.
type job struct {
	name, app string
	size      int
	more      string
	from      []string
}

var jobs = []job{{"words60", "wordcount", 60, "", nil}, {"words120", "wordcount", 120, "", nil}, {"sort60", "sort", 60, "", nil},
	{"sort120", "sort", 120, "", nil}, {"index", "index", 60, "", nil}, {"top", "topk", 60, "reduces: 1\n", nil},
	{"find", "grep", 120, "params: {pattern: w1.*}\n", nil}, {"tera", "terasort", 0, "", nil}}

// chain is a night's work: only its last job has a deadline.
var chain = []job{{"clean", "grep", 120, "params: {pattern: w}\n", nil}, {"ordered", "sort", 0, "", []string{"clean"}},
	{"counts", "wordcount", 0, "", []string{"ordered"}}, {"often", "grep", 0, "params: {pattern: w1}\n", []string{"counts"}},
	{"best", "topk", 0, "reduces: 1\n", []string{"counts"}}, {"report", "wordcount", 0, "", []string{"often", "best"}}}

const teaching = 4

// told is what a run reports of a job.
type told struct {
	ID        string   `json:"id"`
	Submitted float64  `json:"submitted_s"`
	Finished  *float64 `json:"finished_s"`
	Deadline  *float64 `json:"deadline_s"`
	Promised  *float64 `json:"promised_s"`
	Outlooks  []struct {
		At       float64 `json:"at_s"`
		Half     float64 `json:"p50_s"`
		Ninety   float64 `json:"p90_s"`
		Promised float64 `json:"promised_s"`
	} `json:"outlooks"`
}

// answer is what ask says of a job.
type answer struct {
	ID        string     `json:"id"`
	Submitted time.Time  `json:"submitted"`
	Done      *time.Time `json:"done"`
	Promised  bool       `json:"promised"`
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
	run := func(name string, args ...string) ([]byte, error) {
		cmd := exec.Command(binary, append([]string{name, "--store", "store"}, args...)...)
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
	if _, err := run("run", "gen.yaml", "-q"); err != nil {
		return err
	}
	t := &tally{took: map[string]float64{}}
	for round := range rounds {
		for _, set := range [][]job{jobs, chain} {
			args, at, chained := []string{"--policy", "promise(level=95%)", "--block", "4MB", "-o", "json"}, 0.0, set[0].name == "clean"
			order := r.Perm(len(set))
			for k, i := range order {
				if chained {
					i = k
				}
				j := set[i]
				text := fmt.Sprintf("name: %s\napp: %s\ninput: [%s]\noutput: out/%d/%s\n%s", j.name, j.app, j.reads(round), round, j.name, j.more)
				if !chained {
					text += fmt.Sprintf("arrive: %.2fs\n", at)
				}
				if round >= teaching && (!chained || j.name == "report") {
					text += fmt.Sprintf("deadline: %.2fs\n", t.took[j.name]*(1.2+6.8*r.Float64()))
				}
				if err := os.WriteFile(filepath.Join(dir, j.name+".yaml"), []byte(text), 0o666); err != nil {
					return err
				}
				args = append(args, j.name+".yaml")
				at += 1 + 2*r.Float64()
			}
			var asked struct{ Jobs []answer }
			if round >= teaching {
				text, err := run("ask", args...)
				if err == nil {
					err = json.Unmarshal(text, &asked)
				}
				if err != nil {
					return err
				}
			}
			text, err := run("run", args...)
			if err != nil {
				return err
			}
			var report struct{ Runs []struct{ Jobs []told } }
			if err := json.Unmarshal(text, &report); err != nil {
				return err
			}
			for _, j := range report.Runs[0].Jobs {
				t.count(round, &j, asked.Jobs)
			}
		}
		if err := os.RemoveAll(filepath.Join(dir, "out")); err != nil {
			return err
		}
		fmt.Printf("round %d of %d: so far %d promised, %d kept\n", round+1, rounds, t.promised, t.kept)
	}
	t.print()
	return nil
}

// reads is what the job reads.
func (j *job) reads(round int) string {
	switch {
	case len(j.from) > 0:
		list := make([]string, len(j.from))
		for i, name := range j.from {
			list[i] = fmt.Sprintf("out/%d/%s", round, name)
		}
		return strings.Join(list, ", ")
	case j.size == 0:
		return "rows"
	}
	return fmt.Sprintf("%d.txt", j.size)
}

// tally is what came of all rounds.
type tally struct {
	took                map[string]float64 // least, while there are no deadlines
	all, promised, kept int
	said                int
	by                  [3]int
	begin, half, asks   []float64 // errors of what was said, in parts of the time that was left
	same                int       // of the answers of ask about deadlines that the run repeated
	asked               int
}

// count takes in what became of a job, and what was said of it.
func (t *tally) count(round int, j *told, asked []answer) {
	if j.Deadline != nil && round >= teaching {
		t.all++
		if j.Promised != nil {
			if t.promised++; j.Finished != nil && *j.Finished <= *j.Deadline {
				t.kept++
			}
		}
	}
	if j.Finished == nil {
		return
	}
	took := *j.Finished - j.Submitted
	if round < teaching {
		if t.took[j.ID] == 0 || took < t.took[j.ID] {
			t.took[j.ID] = took
		}
		return
	}
	if len(j.Outlooks) == 0 {
		return
	}
	t.said++
	first, last := j.Outlooks[0], j.Outlooks[0]
	for i, by := range []float64{first.Half, first.Ninety, first.Promised} {
		if *j.Finished <= by {
			t.by[i]++
		}
	}
	for _, o := range j.Outlooks {
		if o.At <= j.Submitted+took/2 {
			last = o
		}
	}
	t.begin = append(t.begin, math.Abs(first.Half-*j.Finished)/took)
	t.half = append(t.half, math.Abs(last.Half-*j.Finished)/(took/2))
	for _, a := range asked {
		if a.ID != j.ID || a.Done == nil {
			continue
		}
		t.asks = append(t.asks, math.Abs(a.Done.Sub(a.Submitted).Seconds()-(first.Half-j.Submitted))/took)
		if j.Deadline == nil {
			continue // both promise nothing
		}
		if t.asked++; a.Promised == (j.Promised != nil) {
			t.same++
		}
	}
}

// print prints it.
func (t *tally) print() {
	middle := func(xs []float64) string {
		if len(xs) == 0 {
			return "none"
		}
		slices.Sort(xs)
		return fmt.Sprintf("%.1f %% (a quarter below %.1f, a quarter above %.1f)", 100*xs[len(xs)/2], 100*xs[len(xs)/4], 100*xs[len(xs)*3/4])
	}
	fmt.Printf("of %d jobs with deadlines %d promised at 95 %%, %d kept\n", t.all, t.promised, t.kept)
	fmt.Printf("of %d jobs, done by the instant that was said at submission to hold with 50, 90 and 95 %%: %d, %d and %d\n", t.said, t.by[0], t.by[1], t.by[2])
	fmt.Printf("the middle of what was said at submission is off by %s of the time that the job took\n", middle(t.begin))
	fmt.Printf("what was last said before half of that, by %s of the other half\n", middle(t.half))
	fmt.Printf("ask said of %d of %d jobs with deadlines as the run did whether they are promised; its middle differs by %s\n", t.same, t.asked, middle(t.asks))
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
