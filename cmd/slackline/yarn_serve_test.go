package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/slackline/slackline/internal/policies/queues"
	"github.com/slackline/slackline/internal/worlds/yarn"
)

func TestNextJournal(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "j")
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for i, want := range []string{"j", "j.2", "j.3", "j.4"} {
		got := nextJournal(path, 2)
		if got != filepath.Join(dir, want) {
			t.Fatalf("journal %d is %s, want %s", i+1, got, want)
		}
		write(want, "1 journal 1")
	}
	write("j.notes", "mine")
	write("j.1000000", "not a journal")
	if got := nextJournal(path, 2); got != path+".1000001" {
		t.Errorf("the next one is %s", got)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var left []string
	for _, e := range entries {
		left = append(left, e.Name())
	}
	// Of two that are kept the new one is to be one.
	if want := []string{"j.1000000", "j.notes"}; !slices.Equal(left, want) {
		t.Errorf("left are %v, want %v", left, want)
	}
	if got := nextJournal(path, 0); got != path+".1000001" {
		t.Errorf("where all are kept the next one is %s", got)
	}
}

func TestQueuesOfAClusterReachPolicies(t *testing.T) {
	var out strings.Builder
	op := &operator{log: newLog(&out)}
	list := []*yarn.Queue{{Path: "root", Capacity: 100, Maximum: 100, Running: 9}, {Path: "root.b", Capacity: 25, Maximum: 25, Running: 1, UserLimit: 50, UserFactor: 2},
		{Path: "root.a", Capacity: 75, Maximum: 100}, {Path: "root.a.x", Capacity: 100, Maximum: 100, UserLimit: 100, UserFactor: 1}}
	got := op.readQueues(list, "capacity", true)
	if err := got.Validate(); err != nil {
		t.Fatal(err)
	}
	b := got.Queues[0]
	if got.MaxRunning != 9 || got.MaxMasterShare != 100 || got.Undeclared != "" || b.Name != "b" || b.Maximum != 25 || *b.MaxRunning != 1 ||
		b.MinimumUserLimit != 50 || b.UserLimitFactor != 2 || got.Queues[1].Queues[0].Name != "x" {
		t.Errorf("capacity reads %+v", got)
	}
	if got := op.readQueues(list, "promise", false); got.Undeclared != queues.Allow || got.MaxMasterShare != 50 {
		t.Errorf("promise reads %+v", got)
	}
	twice := append(list, &yarn.Queue{Path: "root.c", Capacity: 0}, &yarn.Queue{Path: "root.c.x", Capacity: 100})
	if got := op.readQueues(twice, "capacity", true); len(got.Queues) != 0 || !strings.Contains(out.String(), "capacity does without the queues of the cluster") {
		t.Errorf("two leaves of one name: %+v, and %q", got, out.String())
	}
}
