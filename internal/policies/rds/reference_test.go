package rds

import (
	"slices"
	"testing"

	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// By hand: a job of ten intervals owes a tenth in each as long as that is left; and a miss counts by its weight,
// doubled by each step of its priority, and by δ of when it would end: with its slots, or at the pace of its reference
// if that is sooner.
func TestRefer(t *testing.T) {
	for _, c := range []struct {
		name               string
		now, left, finish  float64
		priority           int
		owes               []float64
		weight, wantWeight float64
	}{
		{"at the start", 0, 1, 5000, 0, []float64{0.1, 0.1, 0.1}, 1, 1},
		{"near its end", 3000, 0.25, 600, 0, []float64{0.1, 0.1, 0.05}, 3, 3},
		{"of priority", 0, 1, 5000, 2, []float64{0.1, 0.1, 0.1}, 3, 12},
		{"of low priority", 0, 1, 5000, -1, []float64{0.1, 0.1, 0.1}, 1, 0.5},
		{"late by its slots", 3000, 1, 5000, 0, []float64{0.1, 0.1, 0.1}, 1, 1 - 2000.0/6000},
		{"late by its reference", 3000, 1, 9e9, 0, []float64{0.1, 0.1, 0.1}, 1, 1 - 3000.0/6000},
		{"beyond its hard bound", 11000, 1, 5000, 0, []float64{0.1, 0.1, 0.1}, 1, 0},
	} {
		d := newDesk(t, settings{hard: 200})
		job := d.comesWith("c", 40, 3, func(j *workload.Job) { j.Weight, j.Priority = c.weight, c.priority })
		d.at(units.Time(c.now), sched.Event{Kind: sched.Tick})
		o := &outlook{job: job, m: d.c.find(job.ID), left: c.left}
		d.c.refer(d.book, o, c.finish)
		if !slices.EqualFunc(o.owes, c.owes, near) || !near(o.weight, c.wantWeight) {
			t.Errorf("%s: it owes %v and weighs %v, want %v and %v", c.name, o.owes, o.weight, c.owes, c.wantWeight)
		}
	}
}
