package page

import (
	"cmp"
	"math"
	"slices"

	"github.com/slackline/slackline/internal/studies/report"
)

// keep chooses which jobs of each run are listed in the page, at most so many of a run: all, or
// those whose finish differs most between the policies of a seed, or that are latest, and for the
// rest every so-manieth. It returns numbers in order of arrival; nil stands for all. Runs of one
// scenario and seed with the same jobs list the same ones.
func keep(runs []*report.Run, most int) [][]int {
	chosen := make([][]int, len(runs))
	done := make([]bool, len(runs))
	for i, run := range runs {
		if done[i] {
			continue
		}
		group := []int{i}
		for k := i + 1; k < len(runs); k++ {
			if !done[k] && sameJobs(run, runs[k]) {
				group = append(group, k)
			}
		}
		list := pick(runs, group, most)
		for _, k := range group {
			chosen[k], done[k] = list, true
		}
	}
	return chosen
}

// sameJobs tells whether two runs played the same jobs, so that they can be told apart one by one.
func sameJobs(a, b *report.Run) bool {
	return groupOf(a) == groupOf(b) &&
		slices.EqualFunc(a.Jobs, b.Jobs, func(x, y report.Job) bool { return x.ID == y.ID })
}

func pick(runs []*report.Run, group []int, most int) []int {
	n := len(runs[group[0]].Jobs)
	if n <= most {
		return nil
	}
	all := make([]int, n)
	weights := make([]float64, n)
	for j := range all {
		all[j] = j
		first, last, late := math.Inf(1), math.Inf(-1), 0.0
		for _, k := range group {
			job := &runs[k].Jobs[j]
			if job.Finished == nil {
				continue
			}
			first, last = min(first, *job.Finished), max(last, *job.Finished)
			if job.Deadline != nil {
				late = max(late, *job.Finished-*job.Deadline)
			}
		}
		weights[j] = max(last-first, late)
	}
	slices.SortStableFunc(all, func(a, b int) int { return cmp.Compare(weights[b], weights[a]) })
	kept := all[:most/2]
	rest := all[most/2:]
	slices.Sort(rest)
	for i := range most - most/2 {
		kept = append(kept[:len(kept):len(kept)], rest[i*len(rest)/(most-most/2)])
	}
	slices.Sort(kept)
	return kept
}

// samples are the response times and the tardiness of the finished jobs of a run, in seconds.
// Tardiness is how much later than its deadline a job finished, 0 if it did not.
func samples(run *report.Run) (response, tardiness []float64) {
	for i := range run.Jobs {
		j := &run.Jobs[i]
		if j.Finished == nil {
			continue
		}
		response = append(response, *j.Finished-j.Submitted)
		if j.Deadline != nil {
			tardiness = append(tardiness, max(0, *j.Finished-*j.Deadline))
		}
	}
	return response, tardiness
}
