package scenario

import (
	"time"

	"github.com/goccy/go-yaml/ast"

	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// ReadJob reads a job file. The error, if any, is an Errors.
func ReadJob(file string, src []byte) (*Job, error) {
	j := &Job{}
	j.src = decode(file, src, j)
	if j.Name == "" {
		j.Name = stem(file)
	}
	if j.Class == "" {
		j.Class = j.App
	}
	if len(j.src.errs) == 0 && len(j.Input) == 0 {
		j.src.failAt("input", "input names nothing to read; give files, directories or globs")
	}
	if len(j.src.errs) == 0 && j.Output == "" {
		j.src.failAt("output", "output is empty; name a directory that does not exist")
	}
	if err := j.src.errs.err(); err != nil {
		return nil, err
	}
	return j, nil
}

// IsJob tells whether the source looks like a job file rather than a scenario: by its keys. What cannot be read is no job.
func IsJob(src []byte) bool {
	root, failed := parse("", src)
	if failed != nil {
		return false
	}
	is := false
	(&decoder{at: map[string]Pos{}}).pairs(root, "", func(key string, _ Pos, _ ast.Node) {
		is = is || key == "app" || key == "output" || key == "input"
	})
	return is
}

// Path is the name of the file.
func (j *Job) Path() string { return j.src.file }

// Errorf returns an error at the value of a key, such as "app", or at the start of the file if it is left out.
func (j *Job) Errorf(key, format string, args ...any) error {
	return j.src.single(key, format, args...)
}

// Submit returns what a run that starts now knows of the jobs before their input is read: everything but stages. It checks
// what one file alone cannot tell: that names and outputs differ, that predecessors exist, and that no job waits for itself.
func Submit(jobs []*Job, now time.Time) ([]workload.Job, error) {
	links := make([]link, len(jobs))
	outputs := map[string]*Job{}
	specs := make([]workload.Job, len(jobs))
	for i, j := range jobs {
		j.src.errs = nil
		links[i] = link{j.src, "", "name", j.Name, j.After}
		if other := outputs[j.Output]; other != nil {
			j.src.failAt("output", "output %q is that of job %q as well; give each job its own", j.Output, other.Name)
		}
		outputs[j.Output] = j
		spec := j.Rank.job(j.Name, j.Arrive, j.SlowStart)
		spec.Deadline, spec.Soft = j.moment("deadline", j.Deadline, now), j.moment("soft_deadline", j.Soft, now)
		if spec.Soft != units.Never && spec.Soft > spec.Deadline {
			j.src.failAt("soft_deadline", "the soft deadline, %v after the submission, is after the deadline, %v", spec.Soft.Sub(spec.Arrive), spec.Deadline.Sub(spec.Arrive))
		}
		specs[i] = spec
	}
	checkLinks(links)
	for _, j := range jobs {
		if err := j.src.errs.err(); err != nil {
			return nil, err
		}
	}
	return specs, nil
}

// moment returns the time of the run at which a deadline falls.
func (j *Job) moment(key string, m Moment, now time.Time) units.Time {
	if !m.Set() {
		return units.Never
	}
	arrive := units.Time(j.Arrive)
	left := m.Since(now.Add(time.Duration(j.Arrive)))
	if left <= 0 {
		j.src.failAt(key, "the deadline lies before the submission: %s was %v ago", m.At.Format(time.RFC3339), -left/units.Second*units.Second)
		return units.Never
	}
	return arrive.Add(left)
}
