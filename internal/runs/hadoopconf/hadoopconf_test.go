package hadoopconf

import (
	"os"
	"os/user"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// hadoop makes the folders of a Hadoop with a yarn-site.xml.
func hadoop(t *testing.T, site string) Wanted {
	t.Helper()
	dir := t.TempDir()
	me, err := user.Current()
	if err != nil {
		t.Fatal(err)
	}
	w := Wanted{Conf: filepath.Join(dir, "etc", "hadoop"), Jar: filepath.Join(dir, "plug.jar"), Secret: "/the/secret", Java: filepath.Join(dir, "java")}
	for path, text := range map[string]string{
		filepath.Join(w.Conf, "yarn-site.xml"): site,
		filepath.Join(w.Conf, "yarn-env.sh"):   "export YARN_RESOURCEMANAGER_USER=" + me.Username + "\n",
		w.Jar:                                  "a jar",
		filepath.Join(w.Java, "release"):       "IMPLEMENTOR=\"x\"\nJAVA_VERSION=\"17.0.9\"\n",
		filepath.Join(dir, "share/hadoop/yarn/hadoop-yarn-server-resourcemanager-3.5.0.jar"): "",
	} {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return w
}

const usual = `<?xml version="1.0"?>
<!-- of the operators -->
<configuration>
  <property>
    <name>yarn.resourcemanager.hostname</name>
    <value>rm</value> <!-- the old one -->
  </property>
  <property><name>yarn.resourcemanager.recovery.enabled</name><value>true</value></property>
</configuration>
`

func (w Wanted) site(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(w.Conf, "yarn-site.xml"))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// do plans and writes.
func do(t *testing.T, plan func(Wanted) (*Plan, error), w Wanted) *Plan {
	t.Helper()
	p, err := plan(w)
	if err != nil || len(p.Stops)+len(p.Notes) > 0 {
		t.Fatal(p, err)
	}
	if err := p.Write(); err != nil {
		t.Fatal(err)
	}
	return p
}

// To plan changes nothing, to write twice no more than once, and to undo leaves the files as they were, byte for byte.
func TestInstallAndUndo(t *testing.T) {
	for name, site := range map[string]string{
		"usual":       usual,
		"stock named": strings.Replace(usual, "</configuration>", "<property><name>"+schedulerClass+"</name>\n<value> "+stock+" </value></property>\n</configuration>", 1),
		"empty value": strings.Replace(usual, "</configuration>", "<property><name>"+schedulerClass+"</name><value/></property>\n</configuration>", 1),
	} {
		t.Run(name, func(t *testing.T) {
			w := hadoop(t, site)
			if p, err := Install(w); err != nil || p.Done() || w.site(t) != site {
				t.Fatal("planning changes something", p, err)
			}
			p := do(t, Install, w)
			if len(p.Changes) != 2 || *p.Changes[0].New != ours {
				t.Fatalf("%+v", p.Changes)
			}
			s, err := Read(p.Site())
			if err != nil {
				t.Fatal(err)
			}
			for key, want := range map[string]string{schedulerClass: ours, "yarn.slackline.secret.file": "/the/secret", "yarn.resourcemanager.hostname": "rm"} {
				if got, _ := s.Get(key); got != want {
					t.Errorf("%s is %q, want %q", key, got, want)
				}
			}
			if !strings.Contains(string(s.Text), "<!-- the old one -->") {
				t.Error("a comment is lost")
			}
			if jar, err := os.ReadFile(p.JarTo); err != nil || string(jar) != "a jar" {
				t.Error(string(jar), err)
			}
			once := w.site(t)
			if p := do(t, Install, w); !p.Done() || w.site(t) != once {
				t.Error("a second time changes something")
			}
			w.Address = "127.0.0.1:7448" // changed later: the backup stays that of before
			do(t, Install, w)
			p = do(t, Undo, w)
			if got := strings.ReplaceAll(strings.ReplaceAll(w.site(t), " "+stock+" ", stock), "<value></value>", "<value/>"); got != strings.ReplaceAll(site, " "+stock+" ", stock) {
				t.Errorf("undone it is\n%s", got)
			}
			for _, path := range []string{p.JarTo, p.Backup()} {
				if _, err := os.Stat(path); err == nil {
					t.Errorf("%s is left", path)
				}
			}
			if p := do(t, Undo, w); !p.Done() {
				t.Errorf("there is something to undo twice: %+v", p)
			}
		})
	}
}

// What operators changed since stays when the installation is undone.
func TestUndoKeepsWhatCameLater(t *testing.T) {
	w := hadoop(t, usual)
	p := do(t, Install, w)
	later := strings.Replace(w.site(t), "<value>rm</value>", "<value>rm2</value>", 1)
	if err := os.WriteFile(p.Site(), []byte(later), 0o644); err != nil {
		t.Fatal(err)
	}
	do(t, Undo, w)
	if want := strings.Replace(usual, "<value>rm</value>", "<value>rm2</value>", 1); w.site(t) != want {
		t.Errorf("it is\n%s", w.site(t))
	}
}

// Nor does it bring back a scheduler where somebody has set another one since.
func TestUndoKeepsALaterScheduler(t *testing.T) {
	site := strings.Replace(usual, "</configuration>", "<property><name>"+schedulerClass+"</name><value>"+stock+"</value></property>\n</configuration>", 1)
	w := hadoop(t, site)
	p := do(t, Install, w)
	later := strings.Replace(w.site(t), ours, "x.Other", 1)
	if err := os.WriteFile(p.Site(), []byte(later), 0o644); err != nil {
		t.Fatal(err)
	}
	do(t, Undo, w)
	s, err := Read(p.Site())
	if err != nil {
		t.Fatal(err)
	}
	if class, _ := s.Get(schedulerClass); class != "x.Other" {
		t.Errorf("the scheduler is %q", class)
	}
	if _, left := s.Get("yarn.slackline.secret.file"); left {
		t.Error("the secret's file is left in it")
	}
}

// A file that changes between plan and deed is left alone.
func TestInstallSeesOthers(t *testing.T) {
	w := hadoop(t, usual)
	p, err := Install(w)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(p.Site(), []byte(usual+"<!-- -->"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := p.Write(); err == nil || !strings.Contains(err.Error(), "was changed meanwhile") || w.site(t) != usual+"<!-- -->" {
		t.Error(err)
	}
}

// writes puts a file into the configuration.
func writes(name, text string) func(*testing.T, *Wanted) {
	return func(t *testing.T, w *Wanted) {
		if err := os.WriteFile(filepath.Join(w.Conf, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func TestChecks(t *testing.T) {
	with := func(name, value string) string {
		return strings.Replace(usual, "</configuration>", "<property><name>"+name+"</name><value>"+value+"</value></property></configuration>", 1)
	}
	for what, c := range map[string]struct {
		site, stop, note string
		change           func(t *testing.T, w *Wanted)
	}{
		"another scheduler": {site: with(schedulerClass, "x.FairScheduler"), stop: "the scheduler of this cluster is x.FairScheduler"},
		"several":           {site: with("yarn.resourcemanager.ha.enabled", "true"), note: "more than one ResourceManager"},
		"monitor":           {site: with("yarn.resourcemanager.scheduler.monitor.enable", "TRUE"), note: "YARN's preemption"},
		"labels":            {site: with("yarn.node-labels.enabled", "true"), note: "partitions"},
		"constraints":       {site: with("yarn.resourcemanager.placement-constraints.handler", "scheduler"), note: "placement constraints are left to the stock scheduler"},
		"no constraints":    {site: with("yarn.resourcemanager.placement-constraints.handler", "disabled")},
		"reservations":      {site: with("yarn.resourcemanager.reservation-system.enable", "true"), note: "policies know no reservations"},
		"federation":        {site: with("yarn.federation.enabled", "true"), stop: "yarn.federation.enabled is true"},
		"nodes at once":     {site: usual, note: "order of multi-node placement", change: writes("capacity-scheduler.xml", strings.Replace(usual, "</configuration>", "<property><name>yarn.scheduler.capacity.multi-node-placement-enabled</name><value>true</value></property></configuration>", 1))},
		"tickets":           {site: usual, note: "kerberos: slackline brings no ticket", change: writes("core-site.xml", strings.Replace(usual, "</configuration>", "<property><name>hadoop.security.authentication</name><value>kerberos</value></property></configuration>", 1))},
		"another user":      {site: usual, note: "the ResourceManager runs as nobody-else and this is", change: writes("yarn-env.sh", "export YARN_RESOURCEMANAGER_USER=nobody-else\n")},
		"Java 11 under 3.5": {site: usual, stop: "runs on Java 11", change: func(t *testing.T, w *Wanted) {
			writes("../../java/release", "JAVA_VERSION=\"11.0.2\"\n")(t, w)
		}},
		"Java 11 under 3.4": {site: usual, note: "runs on Java 11, for which the plug-in is made", change: func(t *testing.T, w *Wanted) {
			writes("../../java/release", "JAVA_VERSION=\"11.0.2\"\n")(t, w)
			lib := filepath.Join(w.Conf, "../../share/hadoop/yarn/hadoop-yarn-server-resourcemanager-")
			if err := os.Rename(lib+"3.5.0.jar", lib+"3.4.3.jar"); err != nil {
				t.Fatal(err)
			}
		}},
		"opportunistic": {site: with("yarn.resourcemanager.opportunistic-container-allocation.enabled", "true"), note: "opportunistic"},
		"no recovery":   {site: strings.Replace(usual, "true", "false", 1), note: "lost when the ResourceManager"},
		"includes":      {site: strings.Replace(usual, "</configuration>", "<xi:include href=\"x.xml\"/></configuration>", 1), note: "includes other files"},
		"old Hadoop": {site: usual, stop: "this is Hadoop 3.3.6, and the plug-in needs 3.4", change: func(t *testing.T, w *Wanted) {
			lib := filepath.Join(w.Conf, "../../share/hadoop/yarn/hadoop-yarn-server-resourcemanager-")
			if err := os.Rename(lib+"3.5.0.jar", lib+"3.3.6.jar"); err != nil {
				t.Fatal(err)
			}
		}},
		"old Java": {site: usual, stop: "runs on Java 8", change: func(t *testing.T, w *Wanted) {
			old := filepath.Join(w.Conf, "old")
			if err := os.MkdirAll(old, 0o755); err != nil {
				t.Fatal(err)
			}
			for path, text := range map[string]string{filepath.Join(old, "release"): `JAVA_VERSION="1.8.0_392"`,
				filepath.Join(w.Conf, "hadoop-env.sh"): "# export JAVA_HOME=/no\nexport JAVA_HOME=\"" + old + "\"\n"} {
				if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		}},
	} {
		t.Run(what, func(t *testing.T) {
			w := hadoop(t, c.site)
			if c.change != nil {
				c.change(t, &w)
			}
			p, err := Install(w)
			if err != nil {
				t.Fatal(err)
			}
			for kind, told := range map[string][2]string{"stops": {strings.Join(p.Stops, "\n"), c.stop}, "notes": {strings.Join(p.Notes, "\n"), c.note}} {
				if (told[1] == "") != (told[0] == "") || !strings.Contains(told[0], told[1]) {
					t.Errorf("%s: %q, want %q", kind, told[0], told[1])
				}
			}
		})
	}
}

func TestBadSites(t *testing.T) {
	for text, want := range map[string]string{
		"<configuration>\n<property>":            "s:2: it is not XML: unexpected EOF",
		"<queues>\n</queues>":                    "s:1: it begins with <queues>, where Hadoop's files begin with <configuration>",
		"":                                       "s:1: there is no <configuration> in it",
		"<configuration/>":                       "s:1: write <configuration></configuration> in full",
		"<configuration>\n\n&x;</configuration>": "s:3: it is not XML: invalid character entity &x;",
	} {
		if _, err := parse("s", []byte(text)); err == nil || err.Error() != want {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

// Whatever is set stands there, everything else as it was, and what is dropped is gone.
func TestSetAndDrop(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.StringMatching(`[a-z.]{1,8}`)
		value := rapid.StringMatching(`[ -~]{0,12}`)
		s, err := parse("s", []byte("<configuration></configuration>"))
		want := map[string]string{}
		for range rapid.IntRange(0, 12).Draw(t, "steps") {
			if err != nil {
				t.Fatal(err)
			}
			n := name.Draw(t, "name")
			if rapid.Bool().Draw(t, "drop") {
				delete(want, n)
				s, err = s.drop(n)
			} else {
				want[n] = value.Draw(t, "value")
				s, err = s.set(n, want[n])
			}
		}
		if err != nil {
			t.Fatal(err)
		}
		for n, v := range want {
			if got, there := s.Get(n); !there || got != strings.TrimSpace(v) {
				t.Fatalf("%s is %q, want %q\n%s", n, got, v, s.Text)
			}
		}
		if slices.ContainsFunc(s.all, func(p property) bool { _, wanted := want[p.name]; return !wanted }) || len(s.all) != len(want) {
			t.Fatalf("%d properties, want %d\n%s", len(s.all), len(want), s.Text)
		}
	})
}
