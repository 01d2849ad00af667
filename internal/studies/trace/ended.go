package trace

import (
	"bytes"
	"strings"
	"time"

	"github.com/slackline/slackline/units"
)

// failed tells whether a job of Hadoop did not end well, by the word in that field, and leaves it out if so.
func (p *place) failed(j *Job, field string, ended scalar) bool {
	why, well := p.outcome(field, ended)
	if well || len(ended.text) == 0 {
		return false
	}
	if p.bad == nil {
		p.kept.leaveOut(why, j.ID, p.errorf(field, "that of job %q is %s", j.ID, ended.text))
	}
	return true
}

// outcome reads the word for how a job or an attempt of Hadoop ended: well, or why it did not. No word is no end.
func (p *place) outcome(field string, word scalar) (why Reason, well bool) {
	switch string(word.text) {
	case "SUCCESS", "SUCCEEDED":
		return Reason{}, true
	case "", "PREP", "SETUP", "NEW", "INITED", "RUNNING", "COMMITTING":
		return notEnded, false
	case "FAILED", "ERROR":
		return hasFailed, false
	case "KILLED", "KILL_WAIT":
		return wasKilled, false
	}
	p.failf(field, "%s is not SUCCESS, FAILED or KILLED", quoted(word.text))
	return notEnded, false
}

// instant reads a time of a job of Hadoop, in ms since 1970; -1 = it is not known. A time of 0 is none: nothing ran
// in 1970. Nor did what a trace would begin with, if its times were not in seconds.
func (p *place) instant(o *order, field string, s scalar) int64 {
	ms := p.known(field, s)
	if ms == 0 {
		return -1
	}
	if !o.begun && ms >= 1e9 && ms < int64(epoch/units.Millisecond) {
		year := func(t time.Time) int { return t.UTC().Year() }
		p.failf(field, "%d ms since 1970 are in %d; if they are seconds, of %d, write milliseconds", ms, year(time.UnixMilli(ms)), year(time.Unix(ms, 0)))
	}
	return ms
}

// dated says when a job was submitted, in ms, or where that is not known when it began, which another field tells. A
// job of which neither is known is left out, as Gridmix does.
func (p *place) dated(o *order, j *Job, field string, ms int64, other string, began int64) bool {
	byStart := ms < 0
	if byStart {
		field, ms = other, began
	}
	if ms < 0 {
		return p.undated(j, field)
	}
	if j.Submit = p.since(o, field, ms); byStart && p.bad == nil {
		p.kept.fillIn(startCounts, 1, p.errorf(field, "job %q is taken as submitted then", j.ID))
	}
	return true
}

// setBack counts a task whose clock went back.
func (p *place) setBack(j *Job, field string, r ran) {
	if r.back {
		p.kept.fillIn(clockBack, 1, p.errorf(field, "job %q: %d is before the start at %d", j.ID, r.end, r.start))
	}
}

// ran is what is known of the attempt that succeeded.
type ran struct {
	start, fetched, end int64 // ms; -1 = nothing
	back                bool  // it ended before it started
}

// tookBack is how long a map takes that ended before it started, as Hadoop has it (ZombieJob.sanitizeTaskRuntime).
const tookBack = 100 * units.Millisecond

// attempt is that of these times, of which 0 stands for one that is not known.
func attempt(start, fetched, end int64) ran {
	for _, t := range []*int64{&start, &fetched, &end} {
		if *t == 0 {
			*t = -1
		}
	}
	return ran{start, fetched, end, start >= 0 && end >= 0 && end < start}
}

// mapTask is the task of which this is the attempt.
func (r ran) mapTask() Task {
	t := Task{Count: 1, Input: Unknown, Time: between(r.start, r.end)}
	if r.back {
		t.Time = tookBack
	}
	return t
}

// reduceTask is that of a reduce, with the last map's end.
func (r ran) reduceTask(mapsEnd int64) Task {
	t := Task{Count: 1, Input: Unknown, Time: between(r.start, r.end)}
	if t.Time < 0 || r.fetched < r.start || r.end < r.fetched {
		return t
	}
	t.Time = between(r.fetched, r.end)
	t.Shuf = max(0, between(max(r.start, mapsEnd), r.fetched))
	return t
}

// sizes sets those of a job to what its tasks read, and to what its last stage wrote.
func (j *Job) sizes(maps, reduces *Stage, written [2]units.Bytes) {
	j.Input, j.Shuffle, j.Output = inputOf(maps), 0, written[0]
	if len(reduces.Tasks) > 0 {
		j.Shuffle, j.Output = inputOf(reduces), written[1]
	} else if len(maps.Tasks) == 0 {
		j.Shuffle, j.Output = Unknown, Unknown
	}
}

// inputOf is what all tasks read, Unknown if that of one is, or there is none.
func inputOf(s *Stage) units.Bytes {
	if len(s.Tasks) == 0 {
		return Unknown
	}
	total := units.Bytes(0)
	for i := range s.Tasks {
		for range s.Tasks[i].Count {
			total = sum(total, s.Tasks[i].Input)
		}
	}
	return total
}

// hostOf is the last part of a path such as /rack/node.
func hostOf(path string) string { return path[strings.LastIndexByte(path, '/')+1:] }

// otherHistory says which job history of Hadoop a text begins that should be something else, and how it
// can be read; "" if it is none.
func otherHistory(text []byte) string {
	switch {
	case bytes.HasPrefix(text, []byte("Meta VERSION=")), bytes.HasPrefix(text, []byte("Job JOBID=")):
		return "it is a job history of Hadoop 0.20 or 1, which cannot be read; write what you need of it in Slackline's own form"
	case bytes.HasPrefix(text, []byte("Avro-Binary")):
		return "it is a job history in binary; set mapreduce.jobhistory.jhist.format=json"
	}
	return ""
}
