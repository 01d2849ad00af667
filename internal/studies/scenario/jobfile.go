package scenario

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/slackline/slackline/internal/apps"
	"github.com/slackline/slackline/internal/config"
	"github.com/slackline/slackline/internal/files"
	"github.com/slackline/slackline/profile"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// ReadJob reads a job file of one document. The error, if any, is a config.Errors.
func ReadJob(file string, src []byte) (*Job, error) {
	doc, err := config.ParseOne(file, src)
	if err != nil {
		return nil, err
	}
	return readJob(doc, &Vars{})
}

// ReadJobs reads a job file of any number of documents, each a job, as of now. The error, if any, is a
// config.Errors.
func ReadJobs(file string, src []byte) ([]*Job, error) { return readJobs(file, src, &Vars{}) }

func readJobs(file string, src []byte, vars *Vars) ([]*Job, error) {
	docs, err := config.Parse(file, src)
	if err != nil {
		return nil, err
	}
	var jobs []*Job
	var all config.Errors
	for i, doc := range docs {
		j, err := readJob(doc, vars)
		if err != nil {
			all = append(all, doc.Errs...)
			continue
		}
		if i > 0 && j.src.Has("run") {
			all = append(all, j.src.Errorf("run", "run stands in the first job of a file: it is of the run of all of them").(config.Errors)...)
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

func readJob(doc *config.Document, vars *Vars) (*Job, error) {
	j := &Job{src: doc, asOf: vars.AsOf}
	kind := "" // what its name says but for the date: what a night teaches is for the next one
	undated := map[string]string{}
	doc.Fill = func(path, text string) (string, error) {
		if path == "name" {
			kind = vars.undated(text)
		} else if name, is := strings.CutPrefix(path, "params."); is {
			undated[name] = vars.undated(text)
		}
		return vars.fill(path, text)
	}
	jobFile.read(doc, j)
	j.Name = cmp.Or(j.Name, stem(doc.File))
	j.Class = cmp.Or(j.Class, j.member(undated), kind, j.Name)
	if len(j.src.Errs) == 0 {
		j.check()
	}
	if err := j.src.Err(); err != nil {
		return nil, err
	}
	return j, nil
}

// member is the class of a job of an application: of that family with these parameters, as they are but for dates,
// and these formats, as patterns may be a hundred times apart in cost. A few letters tell people which it is.
func (j *Job) member(undated map[string]string) string {
	text, longest, letters := j.InputFormat+" "+j.OutputFormat+" "+j.Compress, "", []byte(nil)
	if j.App == "" || len(j.Params) == 0 && text == "  " {
		return j.App
	}
	for _, name := range slices.Sorted(maps.Keys(j.Params)) {
		value := cmp.Or(undated[name], j.Params[name])
		text += "\x00" + name + "\x00" + value
		if len(value) > len(longest) {
			longest = value
		}
	}
	for _, c := range strings.ToLower(longest) {
		if (c >= 'a' && c <= 'z' || c >= '0' && c <= '9') && len(letters) < 12 {
			letters = append(letters, byte(c))
		}
	}
	sum := fnv.New32a()
	sum.Write([]byte(text))
	return profile.Member(j.App, string(letters), sum.Sum32())
}

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
	if long := config.TooLong("the name of the job", j.Name); long != "" { // it may be that of the file
		d.Failf("name", "%s", long)
	}
	if most := j.Moldable.Reduces; most > 0 && j.Reduces > most {
		d.Failf("moldable.reduces", "the job has %d reduces, and moldable says at most %d; give it another number", j.Reduces, most)
	}
	j.checkOffers()
	j.localPaths()
	j.checkInputs()
	j.checkFormats()
	if len(d.Errs) == 0 && len(j.Input) == 0 {
		d.Failf("input", "input names nothing to read; give files, directories or globs")
	}
	for i, path := range j.Input {
		if path == "" && len(d.Errs) == 0 {
			key := j.inputKey(i)
			d.Failf(key, "%s names nothing to read; give files, directories or globs", key)
		}
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

// Cut returns how many maps a policy may have the job cut into that has so many by itself; none: not otherwise.
func (j *Job) Cut(maps int) (least, most int, err error) {
	if !j.Has("moldable") {
		return 0, 0, nil
	}
	c := j.Moldable
	if maps > 0 && !c.holds(j.src, "moldable", maps) {
		return 0, 0, j.src.Err()
	}
	return c.Min, c.Max, nil
}

// Own tells whether the application is a program of the user's, named by its path.
func (j *Job) Own() bool { return strings.ContainsAny(j.App, `/\`) }

// Has tells whether the file states the key.
func (j *Job) Has(key string) bool { return j.src.Has(key) }

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
	specs, members := make([]workload.Job, len(jobs)), make([]member, len(jobs))
	for i, j := range jobs {
		links = append(links, link{d: j.src, key: "name", name: j.Name, after: j.After, fed: j.fed})
		if other := writes.add(j); other != nil {
			j.collides(other)
		}
		spec := j.Rank.job(j.Name, j.Arrive, j.SlowStart)
		spec.Deadline, spec.Soft, spec.Overdue = j.Due(now)
		if spec.Soft != units.Never && spec.Soft > spec.Deadline {
			j.src.Failf("soft_deadline", "the soft deadline, %v after the submission, is after the deadline, %v", spec.Soft.Sub(spec.Arrive), spec.Deadline.Sub(spec.Arrive))
		}
		specs[i] = spec
		members[i] = member{j.src, "", &specs[i], j.Workflow, units.Never}
		if j.WorkflowDue.Set() {
			members[i].due = j.WorkflowBy(now)
		}
	}
	checkLinks(links)
	join(members)
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

// canonical is the one way to write a path, without links: it need not be there. Windows tells no
// capitals from small letters.
func canonical(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		path = abs
	}
	path = files.Resolved(path)
	if filepath.Separator == '\\' {
		path = strings.ToLower(path)
	}
	return filepath.Clean(path)
}

// Due is when the deadline and the soft deadline fall in a run whose time counts from an instant,
// past or to come, and how long before its arrival the deadline was.
func (j *Job) Due(origin time.Time) (hard, soft units.Time, overdue units.Duration) {
	arrive := units.Time(j.Arrive)
	at := func(m Moment) units.Time {
		if !m.Set() {
			return units.Never
		}
		return units.Time(0).Add(units.Duration(j.at(m, origin).Sub(origin))) // 292 years at most
	}
	if hard, soft = at(j.Deadline), at(j.Soft); hard <= arrive {
		hard, overdue = arrive.Add(1), arrive.Sub(hard)+1
	}
	if soft != units.Never {
		soft = max(soft, arrive.Add(1))
	}
	return hard, soft, overdue
}

// WorkflowBy is when all jobs of its workflow should have finished, as the job states it, in a run that begins then;
// of a deadline that has passed an instant after they come.
func (j *Job) WorkflowBy(origin time.Time) units.Time {
	return max(units.Time(j.Arrive).Add(1), units.Time(0).Add(units.Duration(j.at(j.WorkflowDue, origin).Sub(origin))))
}

// lookBack is how long before a run a time of day may have passed and still be the one that is meant.
const lookBack = 6 * time.Hour

// at is the instant of a deadline in a run that begins then. A time of day is the next one after the
// job's arrival in a run that begins when it was meant to; where that is not stated, one that passed
// less than six hours before that, and before the run, counts as missed: the run was held up.
func (j *Job) at(m Moment, begins time.Time) time.Time {
	arrive := time.Duration(j.Arrive)
	meant := begins
	if !j.asOf.IsZero() {
		meant = j.asOf
	}
	switch {
	case m.Clock.Set && m.Dated:
		return m.Clock.on(meant.Local(), m.Days)
	case m.Clock.Set && !j.asOf.IsZero():
		return m.Clock.Next(meant.Local().Add(arrive))
	case m.Clock.Set:
		if passed := m.Clock.Next(begins.Local().Add(arrive - lookBack)); !passed.After(begins) {
			return passed
		}
		return m.Clock.Next(begins.Local().Add(arrive))
	case m.At.IsZero():
		return begins.Add(arrive + time.Duration(m.After))
	}
	return m.At
}

// dueKey is the key under which the deadline stands.
func (j *Job) dueKey() string {
	if j.By.Set() {
		return "by"
	}
	return "deadline"
}

// Clocks says which instants the job's times of day are, of a run that begins then.
func (j *Job) Clocks(begins time.Time) (list []string) {
	for _, c := range []struct {
		what string
		m    Moment
	}{{"deadline", j.Deadline}, {"soft deadline", j.Soft}} {
		if c.m.Clock.Set {
			list = append(list, fmt.Sprintf("job %q: its %s, %v, is %s", j.Name, c.what, c.m, j.at(c.m, begins).Format("2006-01-02 15:04:05 MST")))
		}
	}
	return list
}

// Overdue says that the deadline of the job had passed before a run that begins then; "" if it had
// not.
func (j *Job) Overdue(begins time.Time) string {
	_, _, late := j.Due(begins)
	if late == 0 {
		return ""
	}
	due, cure := j.at(j.Deadline, begins).Local().Format("2006-01-02 15:04:05 MST"), ""
	if m := j.Deadline; m.Clock.Set && !m.Dated {
		due, cure = m.Clock.String(), "; if you mean tomorrow's, write "+j.dueKey()+": tomorrow "+m.Clock.String()
	}
	return fmt.Sprintf("job %q was due %s, which had passed %v before: it counts as late%s", j.Name, due, units.Span((late - 1).Seconds()), cure)
}
