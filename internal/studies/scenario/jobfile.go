package scenario

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/slackline/slackline/internal/apps"
	"github.com/slackline/slackline/internal/config"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// ReadJob reads a job file of one document. The error, if any, is a config.Errors.
func ReadJob(file string, src []byte) (*Job, error) {
	doc, err := config.ParseOne(file, src)
	if err != nil {
		return nil, err
	}
	return readJob(doc)
}

// ReadJobs reads a job file of any number of documents, each a job. The error, if any, is a config.Errors.
func ReadJobs(file string, src []byte) ([]*Job, error) {
	docs, err := config.Parse(file, src)
	if err != nil {
		return nil, err
	}
	var jobs []*Job
	var all config.Errors
	for i, doc := range docs {
		j, err := readJob(doc)
		if err != nil {
			all = append(all, doc.Errs...)
			continue
		}
		if len(docs) > 1 && !j.src.Has("name") {
			j.Name = fmt.Sprintf("%s-%d", j.Name, i+1)
		}
		jobs = append(jobs, j)
	}
	if err := all.Err(); err != nil {
		return nil, err
	}
	return jobs, nil
}

func readJob(doc *config.Document) (*Job, error) {
	j := &Job{src: doc}
	doc.Read(j)
	j.Name = cmp.Or(j.Name, stem(doc.File))
	j.Class = cmp.Or(j.Class, j.App, j.Name)
	if len(j.src.Errs) == 0 {
		j.check()
	}
	if err := j.src.Err(); err != nil {
		return nil, err
	}
	return j, nil
}

// maxName bounds a job's name, which stands in tables and messages.
const maxName = 100

// check looks for what is missing and for keys that contradict each other.
func (j *Job) check() {
	d := j.src
	if j.By.Set() {
		if d.Has("deadline") {
			d.Failf("by", "by and deadline are the same; leave one of them out")
			return
		}
		j.Deadline = j.By
	}
	if n := utf8.RuneCountInString(j.Name); n > maxName {
		d.Failf("name", "the name of the job has %d characters, it must have at most %d", n, maxName)
	}
	j.localPaths()
	j.checkInputs()
	j.checkFormats()
	if len(d.Errs) == 0 && len(j.Input) == 0 {
		d.Failf("input", "input names nothing to read; give files, directories or globs")
	}
	if j.Output == "" {
		d.Failf("output", "output is empty; name a directory that does not exist")
	}
	if !d.Has("map") {
		for _, key := range []string{"combine", "reduce", "files", "key_fields", "partition_fields", "one_command", "conf", "env"} {
			if d.Has(key) {
				number := ""
				if key == "reduce" {
					number = "; the key for the number of reduces is reduces"
				}
				if !d.Has("app") {
					d.Failf(key, "%s needs map: a job runs commands, with map as the first, or an application, named by app%s", key, number)
					return
				}
				d.Failf(key, "%s and app contradict each other: %s is for jobs of commands, which have map; leave one of them out%s", key, key, number)
				return
			}
		}
		if !d.Has("app") {
			d.Failf("", `the key "app" is missing: the application, such as wordcount; or give commands, by map and reduce`)
		}
		if app, err := apps.Find(j.App); err == nil && j.Reduces == 0 && !app.MapOnly {
			d.Failf("reduces", "reduces and app contradict each other: %s needs reduces, and reduces is 0: it needs reduces to work; give the job reduces", j.App)
			return
		}
		if j.App != "" && !j.Own() && d.Has("limits") {
			d.Failf("limits", "limits and app contradict each other: %s is built in and has no process of its own that could be limited", j.App)
		}
		return
	}
	if d.Has("skip_bad_records") {
		d.Failf("skip_bad_records", "skip_bad_records and map contradict each other: a command reads ahead, so it is not known at which record it failed; leave skip_bad_records out")
		return
	}
	for _, key := range []string{"app", "params"} {
		if d.Has(key) {
			d.Failf("map", "%s and map contradict each other: a job runs an application or commands; leave one of them out", key)
			return
		}
	}
	if j.Reduces == 0 {
		for _, key := range []string{"reduce", "combine", "partition_fields"} {
			if d.Has(key) {
				d.Failf("reduces", "reduces and %s contradict each other: with 0 reduces what maps emit is the result; leave %s out, or give the job reduces", key, key)
				return
			}
		}
	}
	if j.PartitionFields > j.KeyFields {
		d.Failf("partition_fields", "partition_fields and key_fields contradict each other: a key of %s has no %d fields to choose the reduce by",
			units.Count(j.KeyFields, "field"), j.PartitionFields)
	}
}

// Own tells whether the application is a program of the user's, named by its path.
func (j *Job) Own() bool { return strings.ContainsAny(j.App, `/\`) }

// Has tells whether the file states the key.
func (j *Job) Has(key string) bool { return j.src.Has(key) }

// IsJob tells whether the source looks like a job file rather than a scenario: by its keys. What
// cannot be read is no job.
func IsJob(src []byte) bool {
	docs, err := config.Parse("", src)
	return err == nil && slices.ContainsFunc(docs[0].Keys(), func(key string) bool {
		return key == "app" || key == "map" || key == "output" || key == "input"
	})
}

// Path is the name of the file.
func (j *Job) Path() string { return j.src.File }

// Errorf returns an error at the value of a key, such as "app", or at the start of the file if it is left out.
func (j *Job) Errorf(key, format string, args ...any) error {
	return j.src.Errorf(key, format, args...)
}

// Submit returns what a run that starts now knows of the jobs before their input is read:
// everything but stages. It checks what one file alone cannot tell: that names and outputs differ,
// that predecessors exist, and that no job waits for itself. A job that reads what another writes
// waits for it: see Chain. The jobs that are there already have names and outputs as well.
func Submit(jobs []*Job, now time.Time, there ...*Job) ([]workload.Job, error) {
	if err := Chain(jobs, there...); err != nil {
		return nil, err
	}
	var links []link
	writes := outputs{at: make(map[string]int), within: make(map[string]int)}
	for _, j := range there {
		writes.add(j)
		links = append(links, link{d: j.src, key: "name", name: j.Name})
	}
	specs := make([]workload.Job, len(jobs))
	for i, j := range jobs {
		links = append(links, link{d: j.src, key: "name", name: j.Name, after: j.After, fed: j.fed})
		if other := writes.add(j); other != nil {
			j.collides(other)
		}
		spec := j.Rank.job(j.Name, j.Arrive, j.SlowStart)
		spec.Deadline, spec.Soft = j.moment(j.dueKey(), j.Deadline, now), j.moment("soft_deadline", j.Soft, now)
		if spec.Soft != units.Never && spec.Soft > spec.Deadline {
			j.src.Failf("soft_deadline", "the soft deadline, %v after the submission, is after the deadline, %v", spec.Soft.Sub(spec.Arrive), spec.Deadline.Sub(spec.Arrive))
		}
		specs[i] = spec
	}
	checkLinks(links)
	for _, j := range jobs {
		if err := j.src.Err(); err != nil {
			return nil, err
		}
	}
	return specs, nil
}

// outputs tell which of several jobs write where: by directory, the first whose output it is, and
// the first whose output it is or lies in it.
type outputs struct {
	jobs       []*Job
	at, within map[string]int
}

// add adds a job. Its output may not be in that of another, nor that in it: what is left of one job
// could not be told from the other. Where it is so with several, add returns the first of them.
func (o *outputs) add(j *Job) (other *Job) {
	own := canonical(j.Output)
	first, n := len(o.jobs), len(o.jobs)
	if i, ok := o.within[own]; ok {
		first = i
	}
	for dir, last := own, ""; dir != last; dir, last = filepath.Dir(dir), dir {
		if i, ok := o.at[dir]; ok {
			first = min(first, i)
		}
		if _, ok := o.within[dir]; !ok {
			o.within[dir] = n
		}
	}
	if _, ok := o.at[own]; !ok {
		o.at[own] = n
	}
	if o.jobs = append(o.jobs, j); first < n {
		other = o.jobs[first]
	}
	return other
}

// collides says how the output of another job and its own lie within each other.
func (j *Job) collides(other *Job) {
	switch own, its := canonical(j.Output), canonical(other.Output); {
	case own == its:
		j.src.Failf("output", "output %q is that of job %q as well; give each job its own", j.Output, other.Name)
	case len(own) > len(its):
		j.src.Failf("output", "output %q of job %q is inside output %q of job %q; give each job its own directory", j.Output, j.Name, other.Output, other.Name)
	default:
		j.src.Failf("output", "output %q of job %q contains output %q of job %q; give each job its own directory", j.Output, j.Name, other.Output, other.Name)
	}
}

// canonical is the one way to write a path, by its name alone: it need not be there. Windows tells
// no capitals from small letters.
func canonical(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		path = abs
	}
	if filepath.Separator == '\\' {
		path = strings.ToLower(path)
	}
	return filepath.Clean(path)
}

// Due is when the deadline and the soft deadline fall in a run whose time counts from an instant,
// past or to come.
func (j *Job) Due(origin time.Time) (hard, soft units.Time) {
	at := func(m Moment) units.Time {
		if !m.Set() {
			return units.Never
		}
		arrive := units.Time(j.Arrive)
		return arrive.Add(m.Since(origin.Add(time.Duration(arrive))))
	}
	return at(j.Deadline), at(j.Soft)
}

// dueKey is the key under which the deadline stands.
func (j *Job) dueKey() string {
	if j.By.Set() {
		return "by"
	}
	return "deadline"
}

// Clocks says which instants the job's times of day are, of a run that starts now.
func (j *Job) Clocks(now time.Time) (list []string) {
	submitted := now.Add(time.Duration(j.Arrive))
	for _, c := range []struct {
		what string
		m    Moment
	}{{"deadline", j.Deadline}, {"soft deadline", j.Soft}} {
		if c.m.Clock.Set {
			list = append(list, fmt.Sprintf("job %q: its %s, %v, is %s", j.Name, c.what, c.m.Clock, c.m.Clock.Next(submitted.Local()).Format("2006-01-02 15:04:05 MST")))
		}
	}
	return list
}

// moment returns the time of the run at which a deadline falls.
func (j *Job) moment(key string, m Moment, now time.Time) units.Time {
	if !m.Set() {
		return units.Never
	}
	arrive := units.Time(j.Arrive)
	left := m.Since(now.Add(time.Duration(j.Arrive)))
	if left <= 0 {
		j.src.Failf(key, "the deadline is before the submission: %s was %v ago", m.At.Format(time.RFC3339), -left/units.Second*units.Second)
		return units.Never
	}
	return arrive.Add(left)
}
