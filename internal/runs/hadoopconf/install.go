package hadoopconf

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// Wanted is what an operator wants to be so.
type Wanted struct {
	Conf    string // folder of the ResourceManager's configuration
	Home    string // of Hadoop; "" = where Conf is share of, if it is
	Jar     string // of the plug-in
	Secret  string // file with the secret
	Address string // where Slackline listens; "" = what stands there, or the plug-in's own
	Java    string // where Java is, if hadoop-env.sh does not say so
}

// Plan is what would change, and what was found on the way.
type Plan struct {
	JarFrom, JarTo string
	JarThere       bool // JarTo has what JarFrom has; in undoing: it is there to be removed
	Changes        []Change
	Stops          []string // why it cannot be
	Notes          []string // what an operator should know

	site, then *Site
	queues     *Site // capacity-scheduler.xml
	undo       bool
}

// Change is that of a property of yarn-site.xml; nil: it is not set.
type Change struct {
	Name     string
	Old, New *string
}

func (p *Plan) stop(format string, args ...any) {
	p.Stops = append(p.Stops, fmt.Sprintf(format, args...))
}
func (p *Plan) note(format string, args ...any) {
	p.Notes = append(p.Notes, fmt.Sprintf(format, args...))
}

// keys are the properties that an installation sets.
var keys = []string{schedulerClass, "yarn.slackline.secret.file", "yarn.slackline.address"}

// Site is the file that changes.
func (p *Plan) Site() string { return p.site.Path }

// Backup is the file as it was before.
func (p *Plan) Backup() string { return p.site.Path + ".before-slackline" }

// Done tells whether nothing is left to do.
func (p *Plan) Done() bool { return len(p.Changes) == 0 && p.JarThere != p.undo }

// open reads the configuration.
func open(w Wanted) (*Plan, error) {
	path := filepath.Join(w.Conf, "yarn-site.xml")
	if _, err := os.Stat(path); err != nil {
		return nil, fmt.Errorf("there is no %s; name the folder of the ResourceManager's configuration, such as /etc/hadoop/conf", path)
	}
	path, err := filepath.EvalSymlinks(path) // what is replaced is the file, not a link to it
	if err != nil {
		return nil, err
	}
	site, err := Read(path)
	if err != nil {
		return nil, err
	}
	home := w.Home
	if home == "" {
		home = filepath.Dir(filepath.Dir(filepath.Clean(w.Conf))) // HOME/etc/hadoop
	}
	lib := filepath.Join(home, "share", "hadoop", "yarn")
	if at, err := os.Stat(lib); err != nil || !at.IsDir() {
		return nil, fmt.Errorf("there is no %s; name the folder of Hadoop by --hadoop-home", lib)
	}
	queues, err := Read(filepath.Join(w.Conf, "capacity-scheduler.xml"))
	if err != nil {
		return nil, err
	}
	return &Plan{JarFrom: w.Jar, JarTo: filepath.Join(lib, "slackline-yarn-1.jar"), site: site, then: site, queues: queues}, nil
}

// Install plans to put the plug-in in.
func Install(w Wanted) (*Plan, error) {
	p, err := open(w)
	if err != nil {
		return nil, err
	}
	jar, err := os.ReadFile(w.Jar)
	if err != nil {
		return nil, fmt.Errorf("there is no %s; in a checkout, mvn -q -DskipTests -f yarn/plugin/pom.xml package builds it", w.Jar)
	}
	there, err := os.ReadFile(p.JarTo)
	p.JarThere = err == nil && bytes.Equal(jar, there)
	for i, value := range []string{ours, w.Secret, w.Address} {
		if old, _ := p.site.Get(keys[i]); value != "" && value != old {
			if p.then, err = p.then.set(keys[i], value); err != nil {
				return nil, err
			}
		}
	}
	p.compare()
	p.check(w.Java, w.Secret)
	return p, nil
}

// Undo plans to take it out again. What was changed in the file since stays, but for what the installation had set.
func Undo(w Wanted) (*Plan, error) {
	p, err := open(w)
	if err != nil {
		return nil, err
	}
	p.undo = true
	if _, err := os.Stat(p.JarTo); err == nil {
		p.JarThere = true
	}
	class, _ := p.site.Get(schedulerClass)
	before := p.then
	if _, err := os.Stat(p.Backup()); err == nil {
		if before, err = Read(p.Backup()); err != nil {
			return nil, err
		}
	}
	for _, key := range keys {
		old, had := before.Get(key)
		switch {
		case had && before != p.site && old != ours && class == ours:
			p.then, err = p.then.set(key, old)
		case key != schedulerClass || class == ours:
			p.then, err = p.then.drop(key)
		}
		if err != nil {
			return nil, err
		}
	}
	p.then.Path = p.site.Path
	p.compare()
	return p, nil
}

// compare lists what differs between the file and what it is to be.
func (p *Plan) compare() {
	for _, key := range keys {
		c := Change{Name: key}
		if old, had := p.site.Get(key); had {
			c.Old = &old
		}
		if after, has := p.then.Get(key); has {
			c.New = &after
		}
		if (c.Old == nil) != (c.New == nil) || c.Old != nil && *c.Old != *c.New {
			p.Changes = append(p.Changes, c)
		}
	}
}

// Write does what is planned. The file is replaced at once, behind the jar if that comes and before it if it goes, so
// that it never names a class that is not there.
func (p *Plan) Write() error {
	if p.undo {
		err := p.replace()
		if err == nil {
			err = gone(p.JarTo)
		}
		if err == nil {
			err = gone(p.Backup())
		}
		return err
	}
	if !p.JarThere {
		jar, err := os.ReadFile(p.JarFrom)
		if err == nil {
			err = write(p.JarTo, jar, 0o644)
		}
		if err != nil {
			return err
		}
	}
	if class, _ := p.site.Get(schedulerClass); class != ours {
		if err := write(p.Backup(), p.site.Text, 0o600); err != nil {
			return err
		}
	}
	return p.replace()
}

func (p *Plan) replace() error {
	if len(p.Changes) == 0 {
		return nil
	}
	now, err := os.ReadFile(p.site.Path)
	if err != nil {
		return err
	}
	if !bytes.Equal(now, p.site.Text) {
		return fmt.Errorf("%s was changed meanwhile; try again", p.site.Path)
	}
	mode, err := os.Stat(p.site.Path)
	if err != nil {
		return err
	}
	return write(p.site.Path, p.then.Text, mode.Mode().Perm())
}

// write replaces a file as a whole.
func write(path string, text []byte, mode os.FileMode) error {
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".new-*")
	if err != nil {
		return err
	}
	_, err = io.Copy(f, bytes.NewReader(text))
	err = errors.Join(err, f.Chmod(mode), f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		err = errors.Join(err, os.Remove(f.Name()))
	}
	return err
}

func gone(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}
