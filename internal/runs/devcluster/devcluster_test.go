package devcluster

import (
	"encoding/xml"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// The configuration is whole: nothing is left to be filled in, each file is well formed, and every node has a
// name, an address and a rack.
func TestConfigure(t *testing.T) {
	dir := t.TempDir()
	jar := filepath.Join(dir, "a.jar")
	if err := os.WriteFile(jar, []byte("jar"), 0o600); err != nil {
		t.Fatal(err)
	}
	c := &Cluster{Dir: filepath.Join(dir, "c"), Nodes: 3, Plugin: jar, Address: "127.0.0.1:7000", Secret: "/the/secret"}
	if err := c.Configure(); err != nil {
		t.Fatal(err)
	}
	seen := 0
	err := filepath.WalkDir(c.Dir, func(path string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if seen++; regexp.MustCompile(`@[A-Z]+@`).Match(text) {
			t.Errorf("%s has something that is not filled in", path)
		}
		if filepath.Ext(path) == ".xml" {
			for d := xml.NewDecoder(strings.NewReader(string(text))); err != io.EOF; _, err = d.Token() {
				if err != nil {
					t.Errorf("%s: %v", path, err)
					break
				}
			}
		}
		return nil
	})
	if err != nil || seen < 12 {
		t.Errorf("%d files: %v", seen, err)
	}
	has := func(file string, want ...string) {
		t.Helper()
		text, err := os.ReadFile(c.path(filepath.FromSlash(file)))
		if err != nil {
			t.Fatal(err)
		}
		for _, w := range want {
			if !strings.Contains(string(text), w) {
				t.Errorf("%s lacks %q:\n%s", file, w, text)
			}
		}
	}
	has("conf/yarn-site.xml", "<value>io.slackline.yarn.SlacklineScheduler</value>", "<value>127.0.0.1:7000</value>", "<value>/the/secret</value>")
	has("hosts", "127.0.1.1 n1\n", "127.0.1.3 n3\n", "127.0.1.11 rm\n")
	has("conf/topology.table", "n1 /r1\n", "n2 /r1\n", "n3 /r2\n", "127.0.1.3 /r2\n")
	has("plugin/slackline-yarn.jar", "jar")
	if info, err := os.Stat(c.Hadoop()); err != nil || info.Mode().Perm()&0o100 == 0 && os.PathSeparator == '/' {
		t.Errorf("the hadoop command cannot be run: %v", err)
	}

	c.Plugin = ""
	if err := c.Configure(); err != nil {
		t.Fatal(err)
	}
	has("conf/yarn-site.xml", ".capacity.CapacityScheduler</value>")
}

// Each daemon has a name of its own, and no two DataNodes share a port.
func TestDaemons(t *testing.T) {
	names, ports := map[string]bool{}, map[int]bool{}
	for _, d := range daemons(MostNodes) {
		if names[d.name] || strings.HasPrefix(d.name, "datanode") && ports[d.port] {
			t.Errorf("%+v comes twice", d)
		}
		names[d.name] = true
		if strings.HasPrefix(d.name, "datanode") {
			ports[d.port] = true
		}
	}
	if len(names) != 3+2*MostNodes {
		t.Errorf("%d daemons", len(names))
	}
}

// A daemon that is not there, or answers something else, is not ready.
func TestReady(t *testing.T) {
	if (&State{NodeManagers: 2, DataNodes: 1, History: true}).Ready(2) || !(&State{NodeManagers: 2, DataNodes: 2, History: true}).Ready(2) {
		t.Error("it is ready without all nodes, or is not with them")
	}
	var into struct{ X int }
	if err := ask(t.Context(), "http://127.0.0.1:1/", &into); err == nil {
		t.Error("nobody answers, and that is no error")
	}
}

// Of what Maven says, the first error is told.
func TestWhatMavenSays(t *testing.T) {
	if got := firstError("x\n[ERROR] no such artifact\n[ERROR] \n", io.EOF); got != "no such artifact" {
		t.Errorf("told %q", got)
	}
	if got := firstError("", io.EOF); got != "EOF" {
		t.Errorf("told %q", got)
	}
}
