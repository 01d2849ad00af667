package journal

import (
	"bytes"
	"encoding/json"
	"slices"

	"github.com/slackline/slackline/cluster"
	"github.com/slackline/slackline/profile"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/workload"
)

// detail is sched.Detail with only the fields that are there.
type detail struct {
	Job      *workload.Job          `json:"job,omitempty"`
	Node     *cluster.Node          `json:"node,omitempty"`
	Profile  *profile.Class         `json:"profile,omitempty"`
	Demand   []sched.LocationDemand `json:"demand,omitempty"`
	Forecast *sched.Forecast        `json:"forecast,omitempty"`
	Account  *sched.Account         `json:"-"`
}

// appendDetail writes JSON, last on its line. What JSON cannot say (a number that is none) is said
// instead. Tasks, which are nearly all of it, are written without encoding/json, to the same bytes
// in a tenth of the time.
func appendDetail(b []byte, d *sched.Detail) []byte {
	all, stages := detail(*d), []workload.StageSpec(nil)
	if d.Job != nil {
		job := *d.Job
		stages, job.Stages = job.Stages, slices.Clone(job.Stages)
		for i := range job.Stages {
			job.Stages[i].Tasks, job.Stages[i].Hosts = nil, workload.Hosts{}
		}
		all.Job = &job
	}
	text, err := json.Marshal(&all)
	if err != nil {
		return appendText(b, "detail cannot be written: "+err.Error())
	}
	if bytes.Contains(text, []byte(`\ufffd`)) { // for bytes that are no UTF-8: write what will be read
		var read detail
		if err = json.Unmarshal(text, &read); err == nil {
			text, _ = json.Marshal(&read)
		}
	}
	b = append(b, " detail="...)
	for i := range stages {
		// No string holds these bytes, as its quotes are escaped.
		at := bytes.Index(text, []byte(`"tasks":null`)) + len(`"tasks":`)
		b = appendTasks(append(b, text[:at]...), &stages[i])
		text = text[at+len("null"):]
	}
	return append(b, text...)
}

// appendTasks writes the tasks of a stage as encoding/json does.
func appendTasks(b []byte, s *workload.StageSpec) []byte {
	tasks := s.Tasks
	if tasks == nil {
		return append(b, "null"...)
	}
	b = append(b, '[')
	for i := range tasks {
		t := &tasks[i]
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, '{')
		from := len(b)
		b = appendInt(b, `,"input":`, int64(t.Input))
		hosts := s.Hosts.Of(i)
		for k, h := range hosts {
			if k == 0 {
				b = append(b, `,"hosts":[`...)
			} else {
				b = append(b, ',')
			}
			b = appendNumber(b, int64(h))
		}
		if len(hosts) > 0 {
			b = append(b, ']')
		}
		b = appendInt(b, `,"work":`, int64(t.Work))
		b = appendInt(b, `,"shuffle":`, int64(t.Shuffle))
		if len(b) > from {
			b = append(b[:from], b[from+1:]...) // the first comma
		}
		b = append(b, '}')
	}
	return append(b, ']')
}
