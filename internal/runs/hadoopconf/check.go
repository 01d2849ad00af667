package hadoopconf

import (
	"fmt"
	"os"
	"os/exec"
	"os/user"
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

// leftToStock are the settings by which applications may ask for what Slackline does not know, and what
// becomes of that.
var leftToStock = []struct {
	key     string
	queues  bool // it stands in capacity-scheduler.xml
	becomes string
}{
	{"yarn.node-labels.enabled", false, "applications that ask for a label, and the nodes of partitions, are left to the stock scheduler"},
	{"yarn.resourcemanager.placement-constraints.handler", false, "applications that ask by placement constraints are left to the stock scheduler, and get no promise that it keeps"},
	{"yarn.resourcemanager.opportunistic-container-allocation.enabled", false, "opportunistic containers are placed behind the policy's back"},
	{"yarn.resourcemanager.reservation-system.enable", false, "policies know no reservations: what a plan queue may have holds, and who has reserved it is not looked at"},
	{"yarn.scheduler.capacity.multi-node-placement-enabled", true, "the policy chooses nodes, and the order of multi-node placement counts for what is left to the stock scheduler"},
	{"yarn.scheduler.capacity.lazy-preemption-enabled", true, "YARN ends containers against the policy"},
}

// check notes what forbids the plug-in, and what an operator should know of it.
func (p *Plan) check(javaHome, secret string) {
	class, _ := p.site.Get(schedulerClass)
	if class != "" && class != stock && class != ours {
		p.stop("the scheduler of this cluster is %s; the plug-in is a CapacityScheduler, so move its queues to one first (yarn fs2cs does that for a FairScheduler)", class)
	}
	on := func(key string) bool {
		value, _ := p.site.Get(key)
		return strings.EqualFold(value, "true")
	}
	if on("yarn.resourcemanager.ha.enabled") {
		p.note("there is more than one ResourceManager (yarn.resourcemanager.ha.enabled): each needs the jar and this change; a slackline yarn serve that all of them reach keeps its promises when another one serves, and one on each machine does not")
	}
	if on("yarn.resourcemanager.scheduler.monitor.enable") {
		p.note("yarn.resourcemanager.scheduler.monitor.enable is true: YARN's preemption holds each queue to its capacity while another one lacks of its own, so promises count on no more than that")
	}
	if on("yarn.federation.enabled") {
		p.stop("yarn.federation.enabled is true; the plug-in knows one cluster, with one ResourceManager at work")
	}
	for _, left := range leftToStock {
		from := p.site
		if left.queues {
			from = p.queues
		}
		if value, _ := from.Get(left.key); value != "" && !strings.EqualFold(value, "false") && value != "disabled" {
			p.note("%s is %s: %s", left.key, value, left.becomes)
		}
	}
	if !on("yarn.resourcemanager.recovery.enabled") {
		p.note("yarn.resourcemanager.recovery.enabled is not true: applications that run are lost when the ResourceManager is restarted")
	}
	if p.site.more {
		p.note("%s includes other files, which were not read", p.site.Path)
	}
	p.checkUser(secret)
	p.checkJava(javaHome, p.checkHadoop())
}

var (
	userLine = regexp.MustCompile(`(?m)^\s*(?:export\s+)?YARN_RESOURCEMANAGER_USER=["']?([^"'\s#]+)`)
	realm    = "hadoop.security.authentication"
)

// checkUser looks whether the user as whom the ResourceManager runs can read the secret, and whether it
// asks for tickets.
func (p *Plan) checkUser(secret string) {
	dir := filepath.Dir(p.site.Path)
	if core, err := Read(filepath.Join(dir, "core-site.xml")); err == nil {
		if how, _ := core.Get(realm); strings.EqualFold(how, "kerberos") {
			p.note("%s is kerberos: slackline brings no ticket, so it cannot read histories from the server (profile learn, yarn whatif)", realm)
		}
	}
	runs := ""
	for _, name := range []string{"hadoop-env.sh", "yarn-env.sh"} {
		if env, err := os.ReadFile(filepath.Join(dir, name)); err == nil {
			for _, line := range userLine.FindAllSubmatch(env, -1) {
				runs = string(line[1])
			}
		}
	}
	me, err := user.Current()
	switch {
	case err != nil:
	case runs == "" && me.Uid == "0":
		p.note("it is not known as which user the ResourceManager runs; it has to be able to read %s, or it runs as stock", secret)
	case runs != "" && runs != me.Username:
		p.note("the ResourceManager runs as %s and this is %s: %s has to be readable for %s, or it runs as stock; chown %s and chmod 600 make it so",
			runs, me.Username, secret, runs, runs)
	}
}

// checkHadoop looks at the version of the ResourceManager's jar.
// It returns the oldest Java that runs it.
func (p *Plan) checkHadoop() (java int) {
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
		return oldestJava
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
	if major == 3 && minor == 4 {
		return oldestJava
	}
	return 17 // as Hadoop itself does
}

// oldestJava is what the plug-in's classes are made for.
const oldestJava = 11

var (
	javaLine    = regexp.MustCompile(`(?m)^\s*(?:export\s+)?JAVA_HOME=["']?([^"'\s#]+)`)
	javaVersion = regexp.MustCompile(`(?m)^JAVA_VERSION="(?:1\.)?(\d+)`)
)

// checkJava looks at the Java that hadoop-env.sh names, or this process sees. Nothing is started: a Java says in a
// file which one it is.
func (p *Plan) checkJava(home string, oldest int) {
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
		p.note("it is not known which Java the ResourceManager runs on; it needs %d or later", oldest)
		return
	}
	if n, err := strconv.Atoi(string(found[1])); err == nil && n < oldest {
		p.stop("the ResourceManager runs on Java %d (%s), and the plug-in needs %d or later", n, home, oldest)
	} else if n < 17 {
		p.note("the ResourceManager runs on Java %d, for which the plug-in is made; it was tried on 17", n)
	}
}
