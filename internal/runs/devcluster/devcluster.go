// Package devcluster runs a small Hadoop cluster on this machine, for people who try Slackline on one: the
// daemons of Hadoop from the jars that Maven has, each node with a name, a rack and an address of its own.
//
// All of it lives in namespaces of the user's own (unshare), so no rights are needed, and a process that ends
// takes all others with it. The network is the machine's: what is outside reaches the daemons at addresses
// between 127.0.1.1 and 127.0.1.12, and needs only their names (jdk.net.hosts.file).
//
//	devcluster.go  the folder: jars, configuration, the hadoop command
//	host.go        the process in the namespaces, which starts the daemons and ends with any of them
//	rent.go        nodes that come because of deadlines, and leave again
//	watch.go       whether it runs, is ready, and why not
package devcluster

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
)

//go:embed conf
var conf embed.FS

// MostNodes is how many nodes there are names for.
const MostNodes = 9

// Cluster is one in a folder.
type Cluster struct {
	Dir     string // absolute
	Nodes   int
	Plugin  string // the jar of the plug-in; "" = the cluster's own scheduler alone
	Address string // where Slackline listens
	Secret  string // the file that both have
}

// jvm are the options of all JVMs: small, and quick to start.
const jvm = "-XX:+UseSerialGC -XX:TieredStopAtLevel=1 -Xss512k"

// opens are what Hadoop reaches into of Java 17.
func opens() string {
	var b strings.Builder
	for _, p := range []string{"java.io", "java.lang", "java.lang.reflect", "java.math", "java.net", "java.text", "java.util",
		"java.util.concurrent", "java.util.zip", "sun.security.util", "sun.security.x509"} {
		b.WriteString("--add-opens=java.base/" + p + "=ALL-UNNAMED ")
	}
	return b.String() + "--add-exports=java.base/sun.net.dns=ALL-UNNAMED --add-exports=java.base/sun.net.util=ALL-UNNAMED"
}

// Needs says in one sentence what is missing on this machine, nil if nothing is.
func Needs(ctx context.Context) error {
	if runtime.GOOS != "linux" {
		return errors.New("a cluster for trials needs Linux: it lives in namespaces")
	}
	var missing []string
	for _, name := range []string{"java", "mvn", "unshare", "setsid", "mount"} {
		if _, err := exec.LookPath(name); err != nil {
			missing = append(missing, name)
		}
	}
	if len(missing) > 0 {
		return fmt.Errorf("a cluster for trials needs Java 17, Maven, and util-linux; there is no %s on the path", strings.Join(missing, ", "))
	}
	said, err := exec.CommandContext(ctx, "java", "-version").CombinedOutput()
	if err != nil {
		return fmt.Errorf("java -version: %w", err)
	}
	if v := regexp.MustCompile(`version "(\d+)`).FindSubmatch(said); v == nil || string(v[1]) != "17" {
		first, _, _ := strings.Cut(string(said), "\n")
		return fmt.Errorf("java is %s, and Hadoop 3.5 runs on Java 17; put that one first on the path", first)
	}
	if said, err := unshared(ctx, "true").CombinedOutput(); err != nil {
		return fmt.Errorf("a cluster for trials needs user namespaces, and unshare says: %s", strings.TrimSpace(string(said)))
	}
	return nil
}

// unshared is a command in namespaces of its own, in which it may do all, and which end with it.
func unshared(ctx context.Context, args ...string) *exec.Cmd {
	return exec.CommandContext(ctx, "setsid", append([]string{"unshare", "-Urmpf", "--mount-proc", "--kill-child"}, args...)...)
}

// Fetch has Maven bring the jars, if they are not there. It may take two minutes, and needs the network then.
func (c *Cluster) Fetch(ctx context.Context) error {
	pom, err := conf.ReadFile("conf/pom.xml")
	if err != nil {
		return err
	}
	if brought, err := os.ReadFile(c.path("lib", "complete")); err == nil && string(brought) == string(pom) {
		return nil
	}
	err = os.MkdirAll(c.path("lib"), 0o700)
	if err == nil {
		err = os.WriteFile(c.path("pom.xml"), pom, 0o600)
	}
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, "mvn", "-B", "-q", "-f", c.path("pom.xml"), "dependency:copy-dependencies", "-DincludeScope=runtime",
		"-DoutputDirectory="+c.path("lib"))
	if said, err := cmd.CombinedOutput(); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return fmt.Errorf("the jars of Hadoop cannot be fetched: %s", firstError(string(said), err))
	}
	return os.WriteFile(c.path("lib", "complete"), pom, 0o600)
}

// firstError is the first error that Maven tells, or this one.
func firstError(said string, err error) string {
	for _, line := range strings.Split(said, "\n") {
		if rest, is := strings.CutPrefix(line, "[ERROR] "); is && rest != "" {
			return rest
		}
	}
	return err.Error()
}

func (c *Cluster) path(parts ...string) string {
	return filepath.Join(append([]string{c.Dir}, parts...)...)
}

// Hadoop is the command with which jobs are submitted.
func (c *Cluster) Hadoop() string { return c.path("bin", "hadoop") }

// Examples is the jar with the example jobs.
func (c *Cluster) Examples() string {
	found, _ := filepath.Glob(c.path("lib", "hadoop-mapreduce-examples-*.jar")) // the pattern is well formed
	if len(found) == 0 {
		return c.path("lib")
	}
	return found[0]
}

// Configure writes the configuration, which is the same for all nodes, and the hadoop command.
func (c *Cluster) Configure() error {
	scheduler := "org.apache.hadoop.yarn.server.resourcemanager.scheduler.capacity.CapacityScheduler"
	if c.Plugin != "" {
		scheduler = "io.slackline.yarn.SlacklineScheduler"
	}
	fill := strings.NewReplacer("@DIR@", c.Dir, "@SCHEDULER@", scheduler, "@ADDRESS@", c.Address, "@SECRET@", c.Secret, "@JVM@", jvm, "@OPENS@", opens())
	err := fs.WalkDir(conf, "conf", func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || name == "conf/pom.xml" {
			return err
		}
		text, err := conf.ReadFile(name)
		if err != nil {
			return err
		}
		if name == "conf/hadoop.sh" {
			return write(c.Hadoop(), fill.Replace(string(text)), 0o700)
		}
		return write(c.path(filepath.FromSlash(name)), fill.Replace(string(text)), 0o600)
	})
	if err != nil {
		return err
	}
	for _, app := range []string{"hdfs", "datanode", "secondary", "static"} { // which the jar of HDFS lacks
		if err := write(c.path("conf", "webapps", app, "WEB-INF", "web.xml"), "<web-app/>\n", 0o600); err != nil {
			return err
		}
	}
	here, err := os.Hostname()
	if err != nil {
		return err
	}
	hosts, racks := "127.0.0.1 localhost "+here+" client\n127.0.1.10 nn\n127.0.1.11 rm\n127.0.1.12 jhs\n", ""
	for i := range MostNodes { // those that are not there at first may be rented
		hosts += fmt.Sprintf("127.0.1.%d n%d\n", i+1, i+1)
		rack := fmt.Sprintf("/r%d", i/2+1)
		racks += fmt.Sprintf("n%d %s\n127.0.1.%d %s\n", i+1, rack, i+1, rack)
	}
	err = errors.Join(write(c.path("hosts"), hosts, 0o600), write(c.path("conf", "topology.table"), racks, 0o600),
		write(c.path("nodes"), strconv.Itoa(c.Nodes)+"\n", 0o600), write(c.excluded(), "", 0o600), os.RemoveAll(c.path("rented")))
	if err == nil && c.Plugin != "" {
		var jar []byte
		if jar, err = os.ReadFile(c.Plugin); err == nil {
			err = write(c.path("plugin", "slackline-yarn.jar"), string(jar), 0o600)
		}
	}
	return err
}

func write(path, text string, perm os.FileMode) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	return os.WriteFile(path, []byte(text), perm)
}
