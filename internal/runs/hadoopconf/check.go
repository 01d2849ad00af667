package hadoopconf

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

const (
	schedulerClass = "yarn.resourcemanager.scheduler.class"
	ours           = "io.slackline.yarn.SlacklineScheduler"
	stock          = "org.apache.hadoop.yarn.server.resourcemanager.scheduler.capacity.CapacityScheduler"
)

// check notes what forbids the plug-in, and what an operator should know of it.
func (p *Plan) check(javaHome string) {
	class, _ := p.site.Get(schedulerClass)
	if class != "" && class != stock && class != ours {
		p.stop("the scheduler of this cluster is %s; the plug-in is a CapacityScheduler, so move its queues to one first (yarn fs2cs does that for a FairScheduler)", class)
	}
	on := func(key string) bool {
		value, _ := p.site.Get(key)
		return strings.EqualFold(value, "true")
	}
	if on("yarn.resourcemanager.ha.enabled") {
		p.note("there is more than one ResourceManager (yarn.resourcemanager.ha.enabled): each needs the jar, this change and a slackline yarn serve on its own machine; this has not been tried")
	}
	if on("yarn.resourcemanager.scheduler.monitor.enable") {
		p.note("yarn.resourcemanager.scheduler.monitor.enable is true: YARN's preemption ends containers against the policy; switch it off")
	}
	if on("yarn.node-labels.enabled") {
		p.note("yarn.node-labels.enabled is true: policies ignore partitions, and YARN refuses a start that a partition forbids")
	}
	if on("yarn.resourcemanager.opportunistic-container-allocation.enabled") {
		p.note("yarn.resourcemanager.opportunistic-container-allocation.enabled is true: opportunistic containers are placed behind the policy's back")
	}
	if !on("yarn.resourcemanager.recovery.enabled") {
		p.note("yarn.resourcemanager.recovery.enabled is not true: applications that run are lost when the ResourceManager is restarted")
	}
	if p.site.more {
		p.note("%s includes other files, which were not read", p.site.Path)
	}
	p.checkHadoop()
	p.checkJava(javaHome)
}

// checkHadoop looks at the version of the ResourceManager's jar.
func (p *Plan) checkHadoop() {
	const prefix = "hadoop-yarn-server-resourcemanager-"
	var versions []string
	// only a bad pattern is an error
	found, _ := filepath.Glob(filepath.Join(filepath.Dir(p.JarTo), prefix+"[0-9]*.jar"))
	for _, jar := range found {
		v := strings.TrimSuffix(strings.TrimPrefix(filepath.Base(jar), prefix), ".jar")
		if !strings.HasSuffix(v, "-tests") && !strings.HasSuffix(v, "-sources") {
			versions = append(versions, v)
		}
	}
	if len(versions) != 1 {
		p.note("the version of Hadoop is not known, as %s has not one jar %sVERSION.jar; the plug-in was tried on 3.5.0 and 3.4.3", filepath.Dir(p.JarTo), prefix)
		return
	}
	v := versions[0]
	var major, minor int
	_, err := fmt.Sscanf(v, "%d.%d", &major, &minor)
	switch {
	case err == nil && (major < 3 || major == 3 && minor < 4):
		p.stop("this is Hadoop %s, and the plug-in needs 3.4 or later", v)
	case v != "3.5.0" && v != "3.4.3":
		p.note("this is Hadoop %s; the plug-in was tried on 3.5.0 and 3.4.3", v)
	}
}

var (
	javaLine    = regexp.MustCompile(`(?m)^\s*(?:export\s+)?JAVA_HOME=["']?([^"'\s#]+)`)
	javaVersion = regexp.MustCompile(`(?m)^JAVA_VERSION="(?:1\.)?(\d+)`)
)

// checkJava looks at the Java that hadoop-env.sh names, or this process sees. Nothing is started: a Java says in a
// file which one it is.
func (p *Plan) checkJava(home string) {
	if env, err := os.ReadFile(filepath.Join(filepath.Dir(p.site.Path), "hadoop-env.sh")); err == nil {
		for _, line := range javaLine.FindAllSubmatch(env, -1) {
			if !strings.Contains(string(line[1]), "$") {
				home = string(line[1])
			}
		}
	}
	if home == "" {
		if java, err := exec.LookPath("java"); err == nil {
			if java, err = filepath.EvalSymlinks(java); err == nil {
				home = filepath.Dir(filepath.Dir(java))
			}
		}
	}
	release, err := os.ReadFile(filepath.Join(home, "release"))
	found := javaVersion.FindSubmatch(release)
	if err != nil || found == nil {
		p.note("it is not known which Java the ResourceManager runs on; the plug-in needs 17 or later")
		return
	}
	if n, err := strconv.Atoi(string(found[1])); err == nil && n < 17 {
		p.stop("the ResourceManager runs on Java %d (%s), and the plug-in needs 17 or later", n, home)
	}
}
