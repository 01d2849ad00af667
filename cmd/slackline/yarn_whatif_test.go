package main

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A history and a ResourceManager make a scenario, which is played; what cannot be is said in one sentence.
func TestYarnWhatIf(t *testing.T) {
	history, err := os.ReadFile("../../examples/traces/words.jhist")
	if err != nil {
		t.Fatal(err)
	}
	const queues = `{"scheduler": {"schedulerInfo": {"queueName": "root", "capacity": 100, "maxCapacity": 100, "queues": {"queue": [
			{"queueName": "prod", "capacity": 60, "maxCapacity": 100, "capacities": {"queueCapacitiesByPartition": [{"partitionName": "", "maxAMLimitPercentage": 40}]}}, {"queueName": "adhoc", "capacity": 40, "maxCapacity": 50}]}}}}`
	answers := map[string]string{
		"/ws/v1/cluster/nodes": `{"nodes": {"node": [{"nodeHostName": "n1", "state": "RUNNING", "usedMemoryMB": 1024, "availMemoryMB": 3072, "availableVirtualCores": 4},
			{"nodeHostName": "n2", "state": "RUNNING", "availMemoryMB": 4096, "availableVirtualCores": 4}, {"nodeHostName": "n3", "state": "LOST"}]}}`,
		"/conf":                            `{"property": {"key": "yarn.resourcemanager.nodemanagers.heartbeat-interval-ms", "value": "250"}}`,
		"/ws/v1/cluster/scheduler":         queues,
		"/renamed/ws/v1/cluster/scheduler": strings.ReplaceAll(queues, "prod", "sales"),
	}
	answers["/renamed/ws/v1/cluster/nodes"] = answers["/ws/v1/cluster/nodes"]
	rm := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if answers[r.URL.Path] == "" {
			http.NotFound(w, r)
		}
		_, _ = w.Write([]byte(answers[r.URL.Path]))
	}))
	defer rm.Close()
	s := newShell(t, nil)
	s.write("words.jhist", string(history))
	out := s.must(0, "yarn", "whatif", "words.jhist", "--rm", rm.URL, "--factor", "2")
	if !strings.Contains(out, "queue  jobs  as it was  capacity  promise  refused") || !strings.Contains(out, "\nprod      1          1         1        1        0\n") {
		t.Error(out)
	}
	kept, err := os.ReadFile(filepath.Join(s.dir, "whatif", "whatif.yaml"))
	for _, want := range []string{"heartbeat: 250ms", `"max_master_share":40`, "launch: "} {
		if !strings.Contains(string(kept), want) {
			t.Errorf("%v: the scenario has no %s:\n%s", err, want, kept)
		}
	}
	if !strings.Contains(out, "\nPlayed under capacity, jobs take ") {
		t.Error(out)
	}
	if again := s.must(0, "compare", "whatif/whatif.yaml"); !strings.Contains(again, "capacity   1 of 1") {
		t.Errorf("what it leaves cannot be compared again:\n%s", again)
	}
	for args, want := range map[string]string{
		"":                                   "name the address of a JobHistory server, such as http://host:19888, or job histories (.jhist)",
		"words.jhist":                        "--rm is needed: the address of the ResourceManager, such as http://rm:8088",
		"words.jhist --rm " + rm.URL:         "no job had a deadline; --factor 3 gives each three times the time that it takes alone",
		"words.jhist --factor 0.5 --rm x":    "--factor is 0.5, it must be from 1 to a million",
		"words.jhist --days 0 --rm x":        "--days and --last must be 1 or more",
		"no.jhist --factor 2 --rm " + rm.URL: "no.jhist",
		"words.jhist --factor 2 --rm " + rm.URL + "/elsewhere": "is it a ResourceManager?",
		"words.jhist --factor 2 --rm " + rm.URL:                "exists already", // without --overwrite
	} {
		if r := s.run(append([]string{"yarn", "whatif"}, strings.Fields(args)...)...); r.code != 2 || !strings.Contains(r.stderr, want) {
			t.Errorf("%s: %d %s, want %s", args, r.code, r.stderr, want)
		}
	}
	if r := s.run("yarn", "whatif", "words.jhist", "--factor", "2", "--rm", rm.URL+"/renamed", "--overwrite"); !strings.Contains(r.stderr, `1 job left out of the queue "root.prod", which the cluster does not have now`) {
		t.Error(r.stderr)
	}
}

// What a validation on a cluster needs is said before anything is asked of it.
func TestValidateClusterNeeds(t *testing.T) {
	s := newShell(t, map[string]string{"sort.yaml": "app: terasort\ninput: x\noutput: out\n"})
	for args, want := range map[string]string{
		"--cluster mars":                  `--cluster is "mars", it must be yarn`,
		"--cluster yarn --slots 2":        "--cluster yarn and --slots contradict each other",
		"--history http://h:1 --size 1kB": "--history needs --cluster yarn",
		"--cluster yarn":                  "--cluster yarn needs --history and --rm",
		"--cluster yarn --history http://h:1 --rm http://r:1 sort.yaml":                      "sort.yaml:1:6: terasort cannot move to a Hadoop cluster",
		"--cluster yarn --history http://h:1 --rm http://r:1 --policy fifo,edf-p sort.yaml":  "validate takes one policy, not 2",
		"--cluster yarn --history http://h:1 --rm http://r:1 --hadoop /no/hadoop --size 1kB": `--hadoop: "/no/hadoop" cannot be run`,
	} {
		if r := s.run(append([]string{"validate"}, strings.Fields(args)...)...); r.code != 2 || !strings.Contains(r.stderr, want) {
			t.Errorf("%s: %d %s, want %s", args, r.code, r.stderr, want)
		}
	}
}
