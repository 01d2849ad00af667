package main

import (
	"os"
	"strings"
	"testing"
)

// What would change is printed, done, and undone; what cannot be is refused.
func TestYarnInstall(t *testing.T) {
	const site = "<configuration>\n</configuration>\n"
	s := newShell(t, map[string]string{"hadoop/etc/hadoop/yarn-site.xml": site, "plug.jar": "a jar",
		"hadoop/share/hadoop/yarn/hadoop-yarn-server-resourcemanager-3.4.3.jar": ""})
	at, jar := s.path("hadoop/etc/hadoop/yarn-site.xml"), s.path("hadoop/share/hadoop/yarn/slackline-yarn-1.jar")
	args := []string{"yarn", "install", "--hadoop-conf", s.path("hadoop/etc/hadoop"), "--plugin", "plug.jar", "--state", "state"}
	out := s.must(0, args...)
	for _, want := range []string{"copy plug.jar\n  to " + jar, "in " + at,
		"  yarn.resourcemanager.scheduler.class\n    is      not set\n    becomes io.slackline.yarn.SlacklineScheduler\n", "nothing was written; --write does"} {
		if !strings.Contains(out, want) {
			t.Errorf("want %q\n%s", want, out)
		}
	}
	if _, err := os.Stat(s.path("state/secret")); err == nil || s.read("hadoop/etc/hadoop/yarn-site.xml") != site {
		t.Error("something was written")
	}
	if out := s.must(0, append(args, "--write")...); !strings.HasSuffix(out, "done; restart the ResourceManager\n") {
		t.Error(out)
	}
	if text := s.read("hadoop/etc/hadoop/yarn-site.xml"); !strings.Contains(text, "<value>"+s.path("state/secret")+"</value>") || s.read("state/secret") == "" {
		t.Error(text)
	}
	if out := s.must(0, append(args, "--write")...); out != "there is nothing to do\n" {
		t.Error(out)
	}
	s.must(0, append(args, "--undo", "--write")...)
	if _, err := os.Stat(jar); err == nil || s.read("hadoop/etc/hadoop/yarn-site.xml") != site {
		t.Error("something is left")
	}
	s.write("hadoop/etc/hadoop/yarn-site.xml", strings.Replace(site, "\n", "<property><name>yarn.resourcemanager.scheduler.class</name><value>x.Fair</value></property>\n", 1))
	for want, more := range map[string][]string{
		"the scheduler of this cluster is x.Fair; the plug-in is a CapacityScheduler": {"--write"},
		"there is no no.jar; in a checkout":                                           {"--plugin", "no.jar"},
		"name the folder of the ResourceManager's configuration":                      {"--hadoop-conf", "no"},
		"name the folder of Hadoop by --hadoop-home":                                  {"--hadoop-home", "no"},
	} {
		if r := s.run(append(args, more...)...); r.code != 2 || !strings.Contains(r.stderr, want) {
			t.Errorf("%v: exit code %d\n%s", more, r.code, r.stderr)
		}
	}
	if _, err := os.Stat(jar); err == nil {
		t.Error("the jar came all the same")
	}
}
