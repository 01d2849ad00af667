package sensor

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
)

// Each sensor tells a part, or what is wrong with what it was told.
func TestSensors(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch query := r.URL.Query().Get("query"); {
		case r.URL.Path != "/api/v1/query":
			w.WriteHeader(http.StatusNotFound)
		case query == "one{a=\"b\"}":
			fmt.Fprint(w, `{"status":"success","data":{"resultType":"vector","result":[{"metric":{},"value":[1700000000.1,"0.25"]}]}}`)
		case query == "scalar":
			fmt.Fprint(w, `{"status":"success","data":{"resultType":"scalar","result":[1700000000.1,"0.75"]}}`)
		case query == "two":
			fmt.Fprint(w, `{"status":"success","data":{"resultType":"vector","result":[{"value":[1,"0.5"]},{"value":[1,"0.5"]}]}}`)
		case query == "none":
			fmt.Fprint(w, `{"status":"success","data":{"resultType":"vector","result":[]}}`)
		case query == "watts":
			fmt.Fprint(w, `{"status":"success","data":{"resultType":"scalar","result":[1,"3500"]}}`)
		default:
			w.WriteHeader(http.StatusBadRequest)
			fmt.Fprint(w, `{"status":"error","errorType":"bad_data","error":"parse error"}`)
		}
	}))
	defer server.Close()
	half := fmt.Sprintf("%d 100000\n", 50000*runtime.NumCPU())
	for _, c := range []struct {
		name string
		read Sensor
		want float64
		bad  string
	}{
		{"vector", Prometheus(server.URL+"/", `one{a="b"}`), 0.25, ""},
		{"scalar", Prometheus(server.URL, "scalar"), 0.75, ""},
		{"two values", Prometheus(server.URL, "two"), 0, `the query "two" has 2 values, it must have one: sum or average them`},
		{"no value", Prometheus(server.URL, "none"), 0, `the query "none" has 0 values`},
		{"another unit", Prometheus(server.URL, "watts"), 0, `the query "watts" gives "3500", it must be a number from 0 to 1`},
		{"refused", Prometheus(server.URL, "("), 0, `refuses the query "(": parse error`},
		{"max", Cgroup(filepath.Dir(write("all/cpu.max", "max 100000\n"))), 1, ""},
		{"quota", Cgroup(filepath.Dir(write("half/cpu.max", half))), 0.5, ""},
		{"no quota", Cgroup(filepath.Dir(write("bad/cpu.max", "some 100000\n"))), 0, `cpu.max has "some 100000", which is no quota and period`},
		{"no group", Cgroup(filepath.Join(dir, "none")), 0, "is " + filepath.Join(dir, "none") + " a control group of version 2"},
	} {
		got, err := c.read(t.Context())
		if got != c.want || (err == nil) != (c.bad == "") || err != nil && !strings.Contains(err.Error(), c.bad) {
			t.Errorf("%s: %v, %v; want %v, %q", c.name, got, err, c.want, c.bad)
		}
	}
	for text, want := range map[string]float64{"0": 0, " 0.5\n": 0.5, "1": 1} {
		if got, err := partOf(text); got != want || err != nil {
			t.Errorf("%q is %v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "half", "50%", "-0.1", "-0", "1.01", "NaN"} {
		if _, err := partOf(text); err == nil {
			t.Errorf("%q is taken", text)
		}
	}
	now := time.Unix(1000, 0)
	trace, err := Trace(write("t.csv", "at,capacity\n10s,0.5\n20s,1\n"), func() time.Time { return now })
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []float64{1, 0.5, 1, 1} {
		if got, err := trace(t.Context()); got != want || err != nil {
			t.Errorf("at %v the trace tells %v, %v", now, got, err)
		}
		now = now.Add(10 * time.Second)
	}
	if _, err := Trace(write("back.csv", "at,capacity\n10s,0.5\n5s,1\n"), time.Now); err == nil || !strings.Contains(err.Error(), "back.csv:3:1: ") {
		t.Error(err)
	}
}

// Commands are lines of shell.
func TestCommand(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("NOT CHECKED: there is no sh")
	}
	for line, want := range map[string]string{"echo 0.5": "", "echo half": `prints "half", it must be`, "exit 3": "failed: exit status 3"} {
		if part, err := Command(line)(t.Context()); want == "" && (part != 0.5 || err != nil) || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v, %v", line, part, err)
		}
	}
}

// manager is a ResourceManager's web service, as far as nodes are concerned.
type manager struct {
	sync.Mutex
	nodes  map[string]amounts
	other  string // what it says of nodes besides
	refuse string // the node that it does not change
	asked  []string
}

func (m *manager) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	m.Lock()
	defer m.Unlock()
	id, update := strings.CutSuffix(strings.TrimPrefix(r.URL.Path, "/ws/v1/cluster/nodes/"), "/resource")
	switch {
	case r.Method == http.MethodGet && r.URL.Path == "/ws/v1/cluster/nodes":
		var list []string
		for id, has := range m.nodes {
			used := min(has.Memory, 1024) // whatever is used
			list = append(list, fmt.Sprintf(`{"id":%q,"state":"RUNNING","usedMemoryMB":%d,"availMemoryMB":"%d","usedVirtualCores":1,"availableVirtualCores":%d%s}`,
				id, used, has.Memory-used, has.VCores-1, m.other))
		}
		list = append(list, `{"id":"gone:1","state":"LOST","usedMemoryMB":0,"availMemoryMB":0}`)
		text := "[" + strings.Join(list, ",") + "]"
		fmt.Fprintf(w, `{"nodes":{"node":%s}}`, text)
	case r.Method == http.MethodPost && update && id == m.refuse:
		w.WriteHeader(http.StatusForbidden)
		fmt.Fprint(w, `{"RemoteException":{"message":"User nobody is no administrator"}}`)
	case r.Method == http.MethodPost && update:
		var body struct {
			Resource          amounts
			OverCommitTimeout int
		}
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil || body.OverCommitTimeout != -1 {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		m.nodes[id] = body.Resource
		m.asked = append(m.asked, id+" "+r.URL.Query().Get("user.name"))
		fmt.Fprint(w, `{"memory":1}`)
	default:
		w.WriteHeader(http.StatusNotFound)
	}
}

func TestNodes(t *testing.T) {
	m := &manager{nodes: map[string]amounts{"a:1": {4096, 4}, "b:1": {2048, 1}}}
	server := httptest.NewServer(m)
	defer server.Close()
	dir := t.TempDir()
	open := func() *Nodes {
		n, err := OpenNodes(server.URL, "me", dir)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	n := open()
	offer := func(part float64, changed int, want map[string]amounts) {
		t.Helper()
		got, err := n.Offer(t.Context(), part)
		if err != nil || got != changed {
			t.Errorf("%v: %d changed, %v; want %d", part, got, err, changed)
		}
		for id, has := range want {
			if m.nodes[id] != has {
				t.Errorf("%v: %s has %v, want %v", part, id, m.nodes[id], has)
			}
		}
	}
	offer(1, 0, nil)
	offer(0.5, 2, map[string]amounts{"a:1": {2048, 2}, "b:1": {1024, 1}})
	offer(0.5, 0, nil)
	if _, err := OpenNodes(server.URL, "me", dir); err == nil || !strings.Contains(err.Error(), "another process changes the nodes") {
		t.Error(err)
	}
	// A process is killed, and the next one does not take the half for the whole. A node that comes gets its part.
	n.Close()
	n = open()
	m.nodes["c:1"] = amounts{8192, 8}
	offer(0.25, 3, map[string]amounts{"a:1": {1024, 1}, "b:1": {512, 1}, "c:1": {2048, 2}})
	offer(0, 3, map[string]amounts{"a:1": {0, 0}})
	m.refuse = "b:1"
	if changed, err := n.Offer(t.Context(), 1); changed != 2 || err == nil ||
		!strings.Contains(err.Error(), "the node b:1 cannot be changed: 403 Forbidden User nobody is no administrator") {
		t.Errorf("%d changed, %v", changed, err)
	}
	m.refuse = ""
	if err := n.Restore(t.Context()); err != nil || m.nodes["b:1"] != (amounts{2048, 1}) || m.nodes["c:1"] != (amounts{8192, 8}) {
		t.Errorf("%v, %v", m.nodes, err)
	}
	for _, asked := range m.asked {
		if !strings.HasSuffix(asked, " me") {
			t.Errorf("asked as %q", asked)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "*.json")); len(left) > 0 {
		t.Errorf("%v is left", left)
	}
	m.other = `,"totalResource":{"resourceInformations":{"resourceInformation":[{"name":"memory-mb","value":4096},{"name":"yarn.io/gpu","value":2}]}}`
	if _, err := n.Offer(t.Context(), 0.5); err == nil || !strings.Contains(err.Error(), `has 2 of "yarn.io/gpu" besides memory and cores`) {
		t.Error(err)
	}
	n.Close()
	if _, err := OpenNodes("rm:8088", "me", dir); err == nil || !strings.Contains(err.Error(), "write it as http://host:8088") {
		t.Error(err)
	}
	server.Close()
	n = open()
	defer n.Close()
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	if _, err := n.Offer(ctx, 1); err == nil {
		t.Error("nobody answers, and all is well")
	}
}
