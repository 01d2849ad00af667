package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"

	"github.com/slackline/slackline/internal/runs"
	"github.com/slackline/slackline/internal/studies/report"
	"github.com/slackline/slackline/profile"
)

// bindStore adds the flag that names the folder of the store.
func (o *options) bindStore(set interface {
	StringVar(p *string, name, value, usage string)
}) {
	set.StringVar(&o.store, "store", "", "folder for the history of runs and the profiles (default $SLACKLINE_DATA, or the user's data directory)")
}

// open opens what earlier runs left behind: in the folder of --store, of $SLACKLINE_DATA, or in the
// user's data directory. Where nothing can be written it says so, and what is there can be read.
func (o *options) open(log io.Writer) (*runs.Memory, error) {
	dir, err := o.dataDir()
	if err != nil {
		return nil, err
	}
	m, err := runs.OpenMemory(dir)
	if err != nil {
		return nil, failure{err}
	}
	if m.ReadOnly() != nil {
		fmt.Fprintf(log, "warning: no history can be kept: %v\n", m.ReadOnly())
	}
	return m, nil
}

// read opens the same for commands that only ask: they make nothing, and say where there is nothing to be asked.
func (o *options) read(log io.Writer) (*runs.Memory, error) {
	dir, err := o.dataDir()
	if err != nil {
		return nil, err
	}
	m, err := runs.ReadMemory(dir)
	if err != nil {
		return nil, failure{err}
	}
	if m.Store().Absent() {
		fmt.Fprintf(log, "nothing has been kept in %s yet\n", dir)
	}
	return m, nil
}

// openThere opens it to be written where something has been kept. Where nothing has, it makes
// nothing.
func (o *options) openThere(log io.Writer) (*runs.Memory, error) {
	m, err := o.read(io.Discard)
	if err != nil || m.Store().Absent() {
		return m, err
	}
	if err := m.Close(); err != nil {
		return nil, failure{err}
	}
	return o.open(log)
}

// dataDir is the folder, which need not be there.
func (o *options) dataDir() (dir string, err error) {
	from := ""
	switch env := os.Getenv("SLACKLINE_DATA"); {
	case o.store != "":
		dir, from = o.store, "--store "
	case env != "":
		dir, from = env, "SLACKLINE_DATA "
	default:
		if dir, err = userData(); err != nil {
			return "", err
		}
	}
	if info, err := os.Stat(dir); err == nil && !info.IsDir() {
		return "", fmt.Errorf("%s%q: it is not a folder; name a folder for the history of runs", from, dir)
	}
	return dir, nil
}

// openOrNot opens it for a run, which can do without: jobs must not wait for a disk that nobody
// needs to finish them.
func (o *options) openOrNot(log io.Writer, families ...string) (*runs.Memory, []*profile.Class) {
	m, err := o.open(log)
	var known []*profile.Class
	if err == nil {
		if known, err = m.Profiles(families...); err == nil {
			return m, known
		}
		m.Close()
	}
	fmt.Fprintf(log, "warning: earlier runs cannot be read, and nothing is learned from this one: %v\n", err)
	return nil, nil
}

// known is what earlier runs taught of a class, nil if that is nothing or cannot be read.
func (o *options) known(class string) *profile.Class {
	all, _ := o.profiles(io.Discard)
	for _, c := range all {
		if c.Name == class {
			return c.Told()
		}
	}
	return nil
}

// userData is the folder for data of this program by the custom of the system.
func userData() (string, error) {
	var base string
	home, err := os.UserHomeDir()
	switch {
	case runtime.GOOS == "windows":
		base = os.Getenv("LocalAppData")
	case os.Getenv("XDG_DATA_HOME") != "":
		base = os.Getenv("XDG_DATA_HOME")
	case err == nil && runtime.GOOS == "darwin":
		base = filepath.Join(home, "Library", "Application Support")
	case err == nil:
		base = filepath.Join(home, ".local", "share")
	}
	if base == "" {
		return "", errors.New("there is no home directory for the history of runs; name a folder with --store or SLACKLINE_DATA")
	}
	return filepath.Join(base, "slackline"), nil
}

// lastRuns are the last reports of these jobs, as far as there are any.
func lastRuns(m *runs.Memory, jobs string, policies []string) ([]*report.Run, error) {
	var runs []*report.Run
	for _, p := range policies {
		run, err := m.Last(jobs, p)
		if err != nil {
			return nil, err
		}
		if run != nil {
			runs = append(runs, run)
		}
	}
	return runs, nil
}
