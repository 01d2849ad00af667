package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// hadoopHistory is the history of a job of two maps of 5 MB, 10 s each, and one reduce of 4 s, as Hadoop writes it.
func hadoopHistory(id string, submit int) string {
	at := func(s int) int { return 1795219000000 + submit + 1000*s }
	var b strings.Builder
	b.WriteString("Avro-Json\n{}\n")
	tell := func(class, format string, args ...any) {
		fmt.Fprintf(&b, "{\"event\": {\"org.apache.hadoop.mapreduce.jobhistory.%s\": {%s}}}\n", class, fmt.Sprintf(format, args...))
	}
	task := func(kind, name string, start, end int, more, counters string) {
		names := fmt.Sprintf(`"taskid": "task_%s_%s", "attemptId": "attempt_%s_%s_0"`, id, name, id, name)
		tell("TaskStarted", `%s, "startTime": %d`, names, at(4))
		tell("TaskAttemptStarted", `%s, "startTime": %d`, names, at(start))
		tell(kind+"AttemptFinished", `%s, "taskStatus": "SUCCEEDED", "hostname": "n1", "finishTime": %d%s, "counters": {"groups": [{"counts": [%s]}]}`, names, at(end), more, counters)
	}
	tell("AMStarted", `"startTime": %d`, at(1))
	tell("JobSubmitted", `"jobid": "job_%s", "jobName": "words", "submitTime": %d`, id, at(0))
	tell("JobInited", `"jobid": "job_%s", "totalMaps": 2, "totalReduces": 1`, id)
	for _, name := range []string{"m_000000", "m_000001"} {
		task("Map", name, 5, 15, "", `{"name": "BYTES_READ", "value": 5000000}, {"name": "MAP_OUTPUT_MATERIALIZED_BYTES", "value": 1000000}`)
	}
	task("Reduce", "r_000000", 14, 20, fmt.Sprintf(`, "shuffleFinishTime": %d`, at(16)), `{"name": "REDUCE_SHUFFLE_BYTES", "value": 2000000}`)
	tell("JobFinished", `"jobid": "job_%s"`, id)
	return b.String()
}

// What a Hadoop cluster did foretells in simulation what the same class does: maps of 2 µs for a byte, a reduce of 4 s
// and its shuffle of 1 s.
func TestLearnFromHadoop(t *testing.T) {
	text, _ := corpus()
	s := newShell(t, map[string]string{"words.yaml": wordsJob + "class: words\n", "corpus/a.txt": text,
		"done/a.jhist": hadoopHistory("1_0001", 0), "done/b.jhist": hadoopHistory("1_0002", 60_000)})
	if out := s.must(0, "profile", "learn", "done/b.jhist", "done/a.jhist", "--to", "hadoop.json"); out != "hadoop.json: 1 class\n" {
		t.Error(out)
	}
	s.must(0, "profile", "import", "hadoop.json")
	shown := s.must(0, "profile", "show", "words")
	for _, want := range []string{"words, learned from 2 jobs", "2097  ms/MB", "first shuffle  reduce"} {
		if !strings.Contains(shown, want) {
			t.Errorf("want %q\n%s", want, shown)
		}
	}
	// Who counts the shuffles as part of the reduces' times measures something else.
	s.write("done/joined.jhist", strings.Replace(hadoopHistory("1_0003", 0), `"shuffleFinishTime": `, `"shuffleFinishTime": 1795219015000, "told": `, 1))
	s.must(0, "profile", "learn", "done/joined.jhist", "--to", "joined.json")
	if r := s.run("profile", "import", "joined.json", "--merge"); r.code != 2 || !strings.Contains(r.stderr, "--replace takes that of the file") {
		t.Errorf("%d: %s", r.code, r.stderr)
	}
	played := parse(t, s.must(0, "simulate", "words.yaml", "--policy", "edf-p", "-o", "json"))
	took := played.Runs[0].Jobs[0]["finished_s"].(float64)
	if least := float64(len(text))*2e-6 + 1; took < least || took > least+6 {
		t.Errorf("predicted to take %v s, want %v s and the reduces", took, least)
	}
}

// By the sizes of nodes, which the ResourceManager knows, costs are learned by class of nodes.
func TestLearnByClassOfNodes(t *testing.T) {
	rm := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/ws/v1/cluster/nodes" {
			http.NotFound(w, r)
			return
		}
		fmt.Fprint(w, `{"nodes": {"node": {"nodeHostName": "n1", "usedMemoryMB": 0, "availMemoryMB": 2048, "usedVirtualCores": 1, "availableVirtualCores": 3}}}`)
	}))
	defer rm.Close()
	s := newShell(t, map[string]string{"a.jhist": hadoopHistory("1_0001", 0)})
	if out := s.must(0, "profile", "learn", "a.jhist", "--nodes", rm.URL); strings.Count(out, `"node": "{vcores:4 memory:2GB}"`) < 2 {
		t.Error(out)
	}
	if r := s.run("profile", "learn", "a.jhist", "--nodes", rm.URL+"/elsewhere"); r.code != 2 || !strings.Contains(r.stderr, "is it a ResourceManager?") {
		t.Errorf("exit code %d: %s", r.code, r.stderr)
	}
}

func TestLearnRefuses(t *testing.T) {
	s := newShell(t, map[string]string{"a.jhist": hadoopHistory("1_0001", 0), "bad.jhist": "no history\n",
		"cut.jhist": strings.Replace(hadoopHistory("1_0003", 0), `"totalReduces": 1`, `"totalReduces": 1, "uberized": true`, 1)})
	server := httptest.NewServer(http.NotFoundHandler())
	defer server.Close()
	for _, c := range []struct {
		args []string
		want string
	}{
		{nil, "name job histories (.jhist), or the address of a JobHistory server"},
		{[]string{"bad.jhist"}, "bad.jhist:1: the file does not begin with a line Avro-Json"},
		{[]string{"a.jhist", "a.jhist"}, `job "job_1_0001" is in a.jhist and again in a.jhist; it teaches once`},
		{[]string{"cut.jhist"}, "no job in it teaches anything"},
		{[]string{"a.jhist", "--last", "0"}, "--last is 0, it must be 1 or more"},
		{[]string{server.URL}, "/ws/v1/history/mapreduce/jobs: it does not know that; is it a JobHistory server"},
	} {
		r := s.run(append([]string{"profile", "learn"}, c.args...)...)
		if r.code != 2 || !strings.Contains(r.stderr, c.want) {
			t.Errorf("%v: exit code %d\n%s\nwant %s", c.args, r.code, r.stderr, c.want)
		}
	}
}
