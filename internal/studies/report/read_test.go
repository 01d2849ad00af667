package report

import (
	"bytes"
	"encoding/json"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A run in the first form of the report, as a build wrote it that knew no outcomes.
const firstForm = `{"world":"engine","scenario":"s","policy":"rtmr","seed":1,
"summary":{"jobs":8,"admitted":6,"rejected":1,"finished":4,"failed":2,"deadlines":3,"met":2,"missed":2,"makespan_s":9},
"jobs":[
{"id":"kept","admitted":true,"finished_s":4,"deadline_s":5,"met":true,"promised_s":5,"outcome":"finished"},
{"id":"broken","admitted":true,"finished_s":6,"deadline_s":5,"met":false,"promised_s":5,"outcome":"finished"},
{"id":"met","admitted":true,"finished_s":4,"deadline_s":5,"met":true,"outcome":"finished"},
{"id":"done","admitted":true,"finished_s":4,"deadline_s":null,"met":null,"outcome":"finished"},
{"id":"refused","admitted":false,"finished_s":null,"deadline_s":5,"met":false,"outcome":"rejected"},
{"id":"failed","admitted":true,"finished_s":null,"deadline_s":5,"met":false,"outcome":"failed"},
{"id":"killed","admitted":false,"finished_s":null,"deadline_s":null,"met":null,"outcome":"killed"},
{"id":"interrupted","admitted":true,"finished_s":null,"deadline_s":5,"met":false,"outcome":"running"}],
"deadline_classes":[{"class":"tight","deadlines":3,"met":2,"missed":1}]}`

// What builds before kept is read: each outcome and all counts follow, and a form of today is read as it stands.
func TestReadRun(t *testing.T) {
	r, err := ReadRun([]byte(firstForm))
	if err != nil {
		t.Fatal(err)
	}
	for _, j := range r.Jobs {
		if string(j.Outcome) != j.ID {
			t.Errorf("%s is %s", j.ID, j.Outcome)
		}
	}
	want := Summary{Jobs: 8, Admitted: 6, Refused: 1, Kept: 1, Broken: 1, Met: 1, Done: 1, Failed: 1, Killed: 1, Interrupted: 1, Promised: 2, Deadlines: 6, InTime: 2, Makespan: 9}
	if diff := cmp.Diff(want, r.Summary); diff != "" || r.Classes != nil {
		t.Errorf("-want +got\n%s%v", diff, r.Classes)
	}
	text, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := ReadRun(text); err != nil || !cmp.Equal(r, again) {
		t.Errorf("%v\n%s", err, cmp.Diff(r, again))
	}
	if _, err := ReadRun([]byte("{")); err == nil {
		t.Error("half of a report is read")
	}
}

// Jobs that are put into words one by one stand there as encoding/json would put them, whatever texts hold.
func TestWriteJSONOneByOne(t *testing.T) {
	hard := "\n      \"jobs\": null"
	r := New(&Run{Scenario: hard, Params: map[string]string{hard: hard}}, &Run{Jobs: []Job{}}, &Run{Jobs: []Job{{ID: hard}}},
		&Run{Jobs: []Job{{ID: "<a>", Started: new(1.5)}, {ID: "b", Outlooks: []Outlook{{}}}, {}}, Notes: []string{hard}}, &Run{})
	for _, report := range []*Report{r, New(), {Runs: []*Run{}}} {
		var want, got bytes.Buffer
		e := json.NewEncoder(&want)
		e.SetEscapeHTML(false)
		e.SetIndent("", "  ")
		if err := errors.Join(e.Encode(report), WriteJSON(&got, report)); err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(want.String(), got.String()); d != "" {
			t.Errorf("-want +got\n%s", d)
		}
	}
}
