package dag_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/slackline/slackline/internal/studies/dag"
	"github.com/slackline/slackline/internal/studies/scenario"
	"github.com/slackline/slackline/units"
)

const blast = `{"name": "blast", "schemaVersion": "1.5", "workflow": {"specification": {"tasks": [
  {"name": "split_fasta_ID000001", "id": "split_fasta_ID000001", "parents": [], "children": ["blastall_ID000002", "blastall_ID000003"]},
  {"name": "blastall_ID000002", "id": "blastall_ID000002", "parents": ["split_fasta_ID000001"]},
  {"name": "blastall_ID000003", "id": "blastall_ID000003", "parents": ["split_fasta_ID000001"]},
  {"name": "cat_ID000004", "id": "cat_ID000004", "parents": ["blastall_ID000002", "blastall_ID000003"]}]},
 "execution": {"tasks": [{"id": "split_fasta_ID000001", "runtimeInSeconds": 2}, {"id": "blastall_ID000002", "runtimeInSeconds": 10},
  {"id": "blastall_ID000003", "runtimeInSeconds": 30}, {"id": "cat_ID000004", "runtimeInSeconds": 1}]}}}`

// Tasks of one kind on one level are one job; before 1.5 structure and times stand together, and parents by name.
func TestWfCommons(t *testing.T) {
	old := `{"name": "blast", "workflow": {"tasks": [{"name": "split_fasta_1", "id": "1", "runtime": 2}, {"name": "cat_4", "id": "4", "runtime": 1, "parents": ["blastall_2", "blastall_3"]},
		{"name": "blastall_2", "id": "2", "runtime": 10, "parents": ["split_fasta_1"]}, {"name": "blastall_3", "id": "3", "runtime": 30, "parents": ["1"]}]}}`
	want := []dag.Job{{ID: "split_fasta-0", Maps: 1, Time: 2 * units.Second}, {ID: "blastall-1", Maps: 2, Time: 20 * units.Second, After: []string{"split_fasta-0"}},
		{ID: "cat-2", Maps: 1, Time: units.Second, After: []string{"blastall-1"}}}
	named := `{"name": "blast", "workflow": {"specification": {"tasks": [{"name": "split_fasta_ID1", "id": "1"}, {"name": "cat_x_ID4", "id": "4", "parents": ["2", "3"]},
		{"name": "blastall_a.fa_ID2", "id": "2", "parents": ["1"]}, {"name": "blastall_b.fa_ID3", "id": "3", "parents": ["1"]}]},
		"execution": {"tasks": [{"id": "1", "runtimeInSeconds": 2}, {"id": "2", "runtimeInSeconds": 10, "command": {"program": "blastall"}},
		{"id": "3", "runtimeInSeconds": 30, "command": {"program": "blastall"}}, {"id": "4", "runtimeInSeconds": 1, "command": {"program": "cat"}}]}}}`
	for _, src := range []string{blast, old, named} {
		w, err := dag.WfCommons([]byte(src))
		if err != nil {
			t.Fatal(err)
		}
		slices.SortFunc(w.Jobs, func(a, b dag.Job) int { return strings.Compare(a.ID[len(a.ID)-1:], b.ID[len(b.ID)-1:]) })
		if diff := cmp.Diff(want, w.Jobs); diff != "" {
			t.Errorf("-want +got:\n%s", diff)
		}
		if w.Alone() != 23*units.Second {
			t.Errorf("alone it takes %v", w.Alone())
		}
	}
}

const etl = `<workflow-app name="etl" xmlns="uri:oozie:workflow:0.5">
 <start to="check"/>
 <decision name="check"><switch><case to="end">${empty}</case><default to="extract"/></switch></decision>
 <action name="extract"><map-reduce><configuration>
   <property><name>mapreduce.job.maps</name><value>8</value></property>
   <property><name>mapreduce.job.reduces</name><value> 3 </value></property>
   <property><name>mapred.map.tasks</name><value>${maps}</value></property></configuration></map-reduce>
  <ok to="both"/><error to="fail"/></action>
 <fork name="both"><path start="clean"/><path start="count"/></fork>
 <action name="clean"><shell/><ok to="joined"/><error to="fail"/></action>
 <action name="count"><java/><ok to="joined"/><error to="mail"/></action>
 <join name="joined" to="load"/>
 <action name="load"><fs/><ok to="end"/><error to="fail"/></action>
 <action name="mail"><email/><ok to="fail"/><error to="fail"/></action>
 <kill name="fail"><message>no</message></kill>
 <end name="end"/>
</workflow-app>`

func TestOozie(t *testing.T) {
	w, err := dag.Oozie([]byte(etl))
	if err != nil {
		t.Fatal(err)
	}
	want := &dag.Workflow{Name: "etl", Jobs: []dag.Job{{ID: "extract", Maps: 8, Reduces: 3}, {ID: "clean", Maps: 1, After: []string{"extract"}},
		{ID: "load", Maps: 1, After: []string{"clean", "count"}}, {ID: "count", Maps: 1, After: []string{"extract"}}}}
	if diff := cmp.Diff(want, w); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// A file in ISO-8859-1 that says so is read, one of another encoding named.
func TestOozieEncodings(t *testing.T) {
	app := "<?xml version=\"1.0\" encoding=\"%s\"?><workflow-app name=\"caf\xe9\"><start to=\"end\"/><action name=\"\xfc\"><ok to=\"end\"/></action><end name=\"end\"/></workflow-app>"
	w, err := dag.Oozie([]byte(strings.Replace(strings.Replace(app, "%s", "ISO-8859-1", 1), `start to="end"`, "start to=\"\xfc\"", 1)))
	if err != nil || w.Name != "café" || w.Jobs[0].ID != "ü" {
		t.Errorf("%+v, %v", w, err)
	}
	if _, err = dag.Oozie([]byte(strings.Replace(app, "%s", "EBCDIC", 1))); err == nil || !strings.Contains(err.Error(), "its encoding is EBCDIC, it can be UTF-8 or ISO-8859-1") {
		t.Error(err)
	}
}

// Who is only named as a child waits all the same. What took no time is not of unknown time, and a task without a time
// does not change what those of its kind take on average.
func TestWfCommonsChildren(t *testing.T) {
	w, err := dag.WfCommons([]byte(`{"workflow": {"tasks": [{"name": "a", "category": "a", "children": ["b1", "b2"], "runtime": 0},
		{"name": "b1", "category": "b", "parents": ["a"], "runtime": 10}, {"name": "b2", "category": "b"}]}}`))
	want := []dag.Job{{ID: "a-0", Maps: 1, Time: units.Millisecond}, {ID: "b-1", Maps: 2, Time: 10 * units.Second, After: []string{"a-0"}}}
	if err != nil || !cmp.Equal(want, w.Jobs) {
		t.Errorf("%+v, %v", w, err)
	}
}

func TestAlibaba(t *testing.T) {
	const rows = "M1,40,j,1,Terminated,310,370,100,0.4\nR2_1,5,j,1,Terminated,371,410,50,0.4\nJ3_1_2,1,j,1,Terminated,411,415,100,0.4\n" +
		"M1,1,alone,1,Terminated,300,310,100,0.4\nM1,1,k,1,Terminated,300,310,100,0.4\nM2,1,k,1,Terminated,305,310,100,0.4\n"
	list, err := dag.Alibaba(strings.NewReader(rows), "f", 0)
	if err != nil {
		t.Fatal(err)
	}
	want := []dag.Workflow{{Name: "j", Arrive: 10 * units.Second, Jobs: []dag.Job{{ID: "M1", Maps: 40, Time: units.Minute}, {ID: "R2_1", Maps: 5, Time: 39 * units.Second, After: []string{"M1"}},
		{ID: "J3_1_2", Maps: 1, Time: 4 * units.Second, After: []string{"M1", "R2_1"}}}},
		{Name: "k", Jobs: []dag.Job{{ID: "M1", Maps: 1, Time: 10 * units.Second}, {ID: "M2", Maps: 1, Time: 5 * units.Second}}}}
	if diff := cmp.Diff(want, list); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if list, err := dag.Alibaba(strings.NewReader(rows), "f", 1); err != nil || len(list) != 1 {
		t.Errorf("%v, %v", list, err)
	}
	_, err = dag.Alibaba(strings.NewReader("M1_3,1,j,1,Terminated,310,370,100,0.4\nR2_1,5,j,1,Terminated,371,410,50,0.4\nJ3_2,1,j,1,Terminated,411,415,100,0.4\n"), "f", 0)
	if err == nil || !strings.Contains(err.Error(), `f:1: job "M1_3" of workflow "j" waits for itself: M1_3 after J3_2 after R2_1 after M1_3`) {
		t.Error(err)
	}
}

// What is no workflow is refused in one sentence that says where, and names a cycle.
func TestRefused(t *testing.T) {
	for src, want := range map[string]string{
		`{"workflow": {"tasks": [{"name": "a", "parents": ["b"]}, {"name": "b", "parents": ["a"]}]}}`: `job "a" of workflow "workflow" waits for itself: a after b after a`,
		`{"workflow": {"tasks": [{"name": "a", "parents": ["b"]}]}}`:                                  `job "a" of workflow "workflow" waits for "b", which is not in it`,
		`{"workflow": {"tasks": [{"name": "a"}, {"name": "a"}]}}`:                                     `workflow "workflow" has two jobs "a"; give each a name of its own`,
		`{"workflow": {"tasks": [{"name": "a", "runtime": -1}]}}`:                                     `task "a" took -1 seconds, which is not from 0 to 1e9`,
		`{"workflow": {}}`:     `workflow "workflow" has no job`,
		`{"x": 1}`:             `it has no "workflow"; an instance of WfCommons has one`,
		"{\n\"workflow\": [1}": `line 2: invalid character '}' after array element`,
		"<workflow-app name='x'><start to='a'/><action name='a'><ok to='b'/></action><action name='b'><ok to='a'/></action></workflow-app>":                                                                            `job "a" of workflow "x" waits for itself: a after b after a`,
		"<workflow-app name='x'><start to='f'/><fork name='f'><path start='j'/></fork><join name='j' to='f'/></workflow-app>":                                                                                          `the workflow leads from "j" back to it`,
		"<workflow-app name='x'><start to='a'/></workflow-app>":                                                                                                                                                        `"start" leads to "a", and there is no such node`,
		"<workflow-app name='x'><start to='a'/><action name='a'><ok to='z'/></action></workflow-app>":                                                                                                                  `"a" leads to "z", and there is no such node`,
		"<workflow-app name='x'><start to='a'/><end name='a'/><kill name='a'/></workflow-app>":                                                                                                                         `two nodes are called "a", or one has no name; transitions go by name`,
		"<workflow-app name='x'><start to='a'/><action name='a'><map-reduce><configuration><property><name>mapreduce.job.maps</name><value>-4</value></property></configuration></map-reduce></action></workflow-app>": `the action "a" has mapreduce.job.maps "-4", it can be a number from 0 to 100000`,
		"<workflow-app>\n<start": "line 2: unexpected EOF",
		"<other/>":               "it is no workflow.xml of Oozie: expected element type <workflow-app> but have <other>",
	} {
		read := dag.WfCommons
		if src[0] == '<' {
			read = dag.Oozie
		}
		if _, err := read([]byte(src)); err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", src, err, want)
		}
	}
}

// What is written is read as a scenario, with all jobs.
func written(t *testing.T, w *dag.Workflow) {
	t.Helper()
	var text bytes.Buffer
	if err := dag.Write(&text, []dag.Workflow{*w}, dag.Style{Name: "x", Time: units.Second, Factor: 2, Slope: 0.01}); err != nil {
		t.Fatal(err)
	}
	s, err := scenario.Read("x.yaml", text.Bytes())
	if err != nil {
		t.Fatalf("%v\n%s", err, &text)
	}
	if s == nil {
		t.Fatal("nothing")
	}
}

func TestWritten(t *testing.T) {
	for _, read := range []func() (*dag.Workflow, error){func() (*dag.Workflow, error) { return dag.WfCommons([]byte(blast)) }, func() (*dag.Workflow, error) { return dag.Oozie([]byte(etl)) }} {
		w, err := read()
		if err != nil {
			t.Fatal(err)
		}
		written(t, w)
	}
}

func FuzzWfCommons(f *testing.F) {
	f.Add([]byte(blast))
	f.Fuzz(func(t *testing.T, src []byte) { sound(t, src, dag.WfCommons) })
}

func FuzzOozie(f *testing.F) {
	f.Add([]byte(etl))
	f.Fuzz(func(t *testing.T, src []byte) { sound(t, src, dag.Oozie) })
}

// sound holds that a workflow which was read waits for nothing that is not there, and ends.
func sound(t *testing.T, src []byte, read func([]byte) (*dag.Workflow, error)) {
	w, err := read(src)
	if err != nil {
		return
	}
	known := map[string]bool{}
	for _, j := range w.Jobs {
		if known[j.ID] || j.Maps < 1 || j.Time < 0 {
			t.Fatalf("%+v", j)
		}
		known[j.ID] = true
	}
	for _, j := range w.Jobs {
		for _, p := range j.After {
			if !known[p] {
				t.Fatalf("%q waits for %q", j.ID, p)
			}
		}
	}
	if w.Alone() < 0 {
		t.Fatal(w.Alone())
	}
}
