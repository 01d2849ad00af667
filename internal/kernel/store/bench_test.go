package store

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/slackline/slackline/profile"
)

// BenchmarkRun keeps a small run as a process does that does nothing else: it opens the store, asks
// what is known, begins, saves and closes. What was kept before should make no difference.
func BenchmarkRun(b *testing.B) {
	for _, before := range []int{0, 1000, 9000} {
		b.Run(fmt.Sprintf("before=%d", before), func(b *testing.B) {
			path := filepath.Join(b.TempDir(), "s.db")
			s, err := Open(path)
			if err != nil {
				b.Fatal(err)
			}
			for range before {
				keep(b, s)
			}
			if err := s.Close(); err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				s, err := Open(path)
				if err != nil {
					b.Fatal(err)
				}
				if _, err := s.Profiles(); err != nil {
					b.Fatal(err)
				}
				keep(b, s)
				if err := s.Close(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// keep writes a run of one job with two attempts.
func keep(b *testing.B, s *Store) {
	job := &Job{Name: "words", Class: "wordcount", State: Waiting, Submitted: day}
	l, err := s.Begin(Run{Name: "words", Policy: "edf-p", PID: os.Getpid(), Began: day}, []*Job{job})
	if err != nil {
		b.Fatal(err)
	}
	job.State = Finished
	change := Change{Jobs: []*Job{job}, Report: json.RawMessage(fmt.Sprintf("%q", make([]byte, 400))), Ended: day.Add(time.Second), Taught: []*profile.Class{taught("words", 1)}}
	for _, stage := range []string{"map", "reduce"} {
		change.Attempts = append(change.Attempts, &Attempt{Job: job.ID, Stage: stage, Task: 1, Try: 1, Node: "n1", Outcome: "committed", Began: day})
	}
	if err := l.Save(change); err != nil {
		b.Fatal(err)
	}
	if err := l.Close(); err != nil {
		b.Fatal(err)
	}
}
