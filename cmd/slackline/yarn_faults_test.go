//go:build linux

package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// ill is a cluster of Hadoop's own processes to which things happen.
type ill struct {
	*shell
	dir, slackline string // its folder, and the program with which jobs are submitted
}

// eventually waits until it is so. However slow the machine, it is within ten minutes.
func (c *ill) eventually(what string, is func() bool) {
	c.t.Helper()
	for end := time.Now().Add(10 * time.Minute); !is(); time.Sleep(50 * time.Millisecond) {
		if time.Now().After(end) {
			c.t.Fatalf("ten minutes have passed, and not: %s", what)
		}
	}
}

// ask asks the ResourceManager.
func (c *ill) ask(path string, into any) bool {
	r, err := http.Get("http://127.0.1.11:8088/ws/v1/cluster/" + path)
	if err != nil {
		return false
	}
	defer r.Body.Close()
	return json.NewDecoder(r.Body).Decode(into) == nil
}

// job submits one of 16 maps and 2 reduces, and returns how YARN calls it. Its user hears more when it is done.
func (c *ill) job(name string, flags ...string) (application string, done chan error) {
	c.t.Helper()
	c.write(name+".yaml", "name: "+name+"\napp: wordcount\ninput: words\noutput: out-"+name+"\nreduces: 2\ndeadline: 40m\n")
	before := c.log()
	cmd := exec.Command(c.slackline, append([]string{"submit", "--to", "yarn", "--fetch", name + ".yaml"}, flags...)...)
	cmd.Dir, cmd.Env = c.shell.dir, c.env
	done = make(chan error, 1)
	go func() {
		said, err := cmd.CombinedOutput()
		if err != nil {
			err = fmt.Errorf("%w: %s", err, said)
		}
		done <- err
	}()
	c.eventually("job "+name+" runs its first map", func() bool {
		found := regexp.MustCompile(`container_(?:e\d+_)?(\d+_\d+)_01_000002 Container Transitioned from \w+ to RUNNING`).FindStringSubmatch(c.log()[len(before):])
		if found != nil {
			application = "application_" + found[1]
		}
		return found != nil
	})
	return application, done
}

func (c *ill) hadoop(args ...string) {
	c.t.Helper()
	if said, err := exec.Command(filepath.Join(c.dir, "bin", "hadoop"), args...).CombinedOutput(); err != nil {
		c.t.Errorf("%v: %s", err, said)
	}
}

// log is what the ResourceManager has said.
func (c *ill) log() string {
	text, err := os.ReadFile(filepath.Join(c.dir, "logs", "resourcemanager.log"))
	if err != nil {
		c.t.Fatal(err)
	}
	return string(text)
}

// allocated waits for the first container that the ResourceManager has placed behind the place where
// it says that, and returns when that was.
func (c *ill) allocated(from int, behind string) (at time.Time) {
	c.t.Helper()
	c.eventually("a container is placed behind: "+behind, func() bool {
		_, rest, _ := strings.Cut(c.log()[from:], behind)
		found := regexp.MustCompile(`(?m)^(\S+ \S+) INFO RMContainerImpl: \S+ Container Transitioned from NEW to ALLOCATED`).FindStringSubmatch(rest)
		if found != nil {
			at, _ = time.ParseInLocation("2006-01-02 15:04:05,000", found[1], time.Local)
		}
		return found != nil
	})
	return at
}

// process is that of a Java program with these words on its command line.
func (c *ill) process(words ...string) *os.Process {
	c.t.Helper()
	found := 0
	c.eventually(fmt.Sprintf("there is a process %q", words), func() bool {
		list, _ := filepath.Glob("/proc/[0-9]*/cmdline")
		for _, name := range list {
			text, _ := os.ReadFile(name)
			line, is := strings.ReplaceAll(string(text), "\x00", " "), true
			for _, w := range words {
				is = is && strings.Contains(line, w)
			}
			if first, _, _ := strings.Cut(line, " "); is && filepath.Base(first) == "java" {
				found, _ = strconv.Atoi(filepath.Base(filepath.Dir(name)))
				return true
			}
		}
		return false
	})
	p, err := os.FindProcess(found)
	if err != nil {
		c.t.Fatal(err)
	}
	return p
}

func (c *ill) signal(p *os.Process, s syscall.Signal) {
	c.t.Helper()
	if err := p.Signal(s); err != nil {
		c.t.Fatal(err)
	}
}

// is tells how YARN says that the application has ended, and how many ApplicationMasters it had.
func (c *ill) is(application, end string, masters int) {
	c.t.Helper()
	var a struct {
		App struct{ FinalStatus, Diagnostics string }
	}
	c.eventually("it has ended "+end, func() bool {
		return c.ask("apps/"+application, &a) && a.App.FinalStatus != "UNDEFINED"
	})
	var list struct {
		AppAttempts struct {
			AppAttempt []struct{ ID int }
		}
	}
	c.ask("apps/"+application+"/appattempts", &list)
	if n := len(list.AppAttempts.AppAttempt); a.App.FinalStatus != end || n != masters {
		c.t.Errorf("%s has ended %s with %d ApplicationMasters (%s), want %s with %d", application, a.App.FinalStatus, n, a.App.Diagnostics, end, masters)
	}
}

// clean waits until nothing runs on the cluster, and nothing is kept for anybody.
func (c *ill) clean() {
	c.t.Helper()
	c.eventually("all containers have been given back", func() bool {
		var m struct {
			ClusterMetrics struct{ AllocatedMB, ReservedMB, PendingMB, ContainersAllocated, AppsRunning int }
		}
		return c.ask("metrics", &m) && m.ClusterMetrics == struct{ AllocatedMB, ReservedMB, PendingMB, ContainersAllocated, AppsRunning int }{}
	})
}

func (c *ill) serve() *served {
	o := c.elsewhere("listens at", "yarn", "serve", "--policy", "rtmr", "--slot", "512MB,1", "--masters", "512MB,1", "--shares", "2:1", "--heartbeat", "200ms",
		"--journal", "faults")
	return &served{terminal: o}
}

// says waits until the process that schedules the cluster has said that.
func (c *ill) says(o *served, text string) {
	c.t.Helper()
	c.eventually("it says "+text, func() bool {
		o.lock.Lock()
		defer o.lock.Unlock()
		return strings.Contains(o.said, text)
	})
}

// A real cluster, to which one thing after the other happens while jobs run there: all of them are
// done, as if nothing had happened, and nothing is left of them. .ci/run yarn starts the cluster.
func TestYarnFaults(t *testing.T) {
	dir := os.Getenv("SLACKLINE_YARN_CLUSTER")
	if dir == "" {
		t.Skip("NOT CHECKED: faults on a real cluster; .ci/run yarn runs it, with Java 17, Maven and user namespaces")
	}
	c := &ill{newShell(t, nil), dir, os.Getenv("SLACKLINE_YARN_PROGRAM")}
	c.env = append(c.env, "SLACKLINE_DATA="+os.Getenv("SLACKLINE_DATA"))
	words := map[string]int{}
	for i := range 16 {
		c.write(fmt.Sprintf("words/%d", i), fmt.Sprintf("all w%d w%d\n", i, i%3))
		words["all"]++
		words[fmt.Sprintf("w%d", i)]++
		words[fmt.Sprintf("w%d", i%3)]++
	}
	whole := func(name string, done chan error) {
		t.Helper()
		if err := <-done; err != nil {
			t.Error(err)
		}
		got := map[string]int{}
		for i := range 2 {
			for line := range strings.Lines(c.read(fmt.Sprintf("out-%s/part-%05d", name, i))) {
				word, n, _ := strings.Cut(strings.TrimSpace(line), "\t")
				got[word], _ = strconv.Atoi(n)
			}
		}
		if !maps.Equal(got, words) {
			t.Errorf("%s counts %v, want %v", name, got, words)
		}
	}
	o := c.serve()
	c.says(o, "Slackline places work")

	// Slackline is killed, and comes back: its promise holds.
	from := len(c.log())
	app, done := c.job("killed", "--put")
	c.says(o, "\""+app+"\": its deadline is promised")
	killed := time.Now()
	c.signal(o.cmd.Process, syscall.SIGKILL)
	<-o.ended
	t.Logf("from kill -9 to the first container of the stock scheduler: %v", c.allocated(from, "Slackline is gone").Sub(killed).Round(time.Millisecond))
	from = len(c.log())
	back := time.Now()
	o = c.serve()
	c.says(o, "continuing with the promises that an earlier process made to 1 job")
	c.says(o, "Slackline places work")
	t.Logf("from its return to the first of its own: %v", c.allocated(from, "who places work: MODE_OURS").Sub(back).Round(time.Millisecond))

	// And then the job's ApplicationMaster.
	c.signal(c.process(app, "container_"+strings.TrimPrefix(app, "application_")+"_01_000001", "MRAppMaster"), syscall.SIGKILL)
	whole("killed", done)
	c.is(app, "SUCCEEDED", 2)
	c.says(o, app+"\": committed")
	t.Log("an ApplicationMaster was killed, and the job is done")
	if !strings.Contains(o.said, app+"\": its deadline is promised") {
		t.Errorf("the promise was not told again:\n%s", o.said)
	}

	// A user kills a job that runs.
	app, done = c.job("unwanted")
	c.hadoop("application", "-kill", app)
	<-done
	c.is(app, "KILLED", 1)
	c.says(o, app+"\": killed")
	c.clean()
	t.Log("a user has killed a job, and nothing is left")

	// The ResourceManager is killed in the midst of a job, and starts again: what runs goes on, and the job
	// keeps its ApplicationMaster and its promise.
	app, done = c.job("recovered")
	c.says(o, "\""+app+"\": its deadline is promised")
	c.signal(c.process("resourcemanager.ResourceManager"), syscall.SIGKILL)
	whole("recovered", done)
	c.is(app, "SUCCEEDED", 1)
	c.says(o, app+"\": committed")
	c.clean()
	t.Log("the ResourceManager was killed and came back, and the job is done")

	if os.Getenv("SLACKLINE_LONG") != "" {
		// A DataNode is killed, the only one with the input of some maps, and starts again.
		app, done = c.job("unread")
		c.signal(c.process("-Dsl.node=n1", "datanode.DataNode"), syscall.SIGKILL)
		whole("unread", done)
		c.is(app, "SUCCEEDED", 1)
		c.says(o, app+"\": committed")
		c.clean()
		t.Log("a DataNode was killed and came back, and the job is done")

		// A NodeManager stops in the midst of maps that it runs, is given up, and comes back with them.
		app, done = c.job("frozen")
		var a struct {
			App struct{ AmHostHTTPAddress string }
		}
		c.ask("apps/"+app, &a)
		node := "n1"
		if strings.HasPrefix(a.App.AmHostHTTPAddress, node+":") {
			node = "n2"
		}
		nodes := func(n int) func() bool {
			return func() bool {
				var m struct{ ClusterMetrics struct{ ActiveNodes int } }
				return c.ask("metrics", &m) && m.ClusterMetrics.ActiveNodes == n
			}
		}
		manager := c.process("-Dsl.node="+node, "nodemanager.NodeManager")
		c.signal(manager, syscall.SIGSTOP)
		c.eventually("the node is given up", nodes(1))
		c.signal(manager, syscall.SIGCONT)
		c.eventually("the node is back", nodes(2))
		whole("frozen", done)
		c.is(app, "SUCCEEDED", 1)
		c.says(o, app+"\": committed")
		t.Log("a NodeManager was lost and came back, and the job is done")
		c.clean()
	}
	c.signal(o.cmd.Process, syscall.SIGTERM)
	o.ends(0)
	c.must(0, "replay", "faults.2")
	if jobs := c.must(0, "jobs"); !strings.Contains(jobs, "kept") || strings.Contains(jobs, "missed") {
		t.Errorf("a promise is broken:\n%s", jobs)
	}
}
