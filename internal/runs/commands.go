package runs

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os/user"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/slackline/slackline/internal/apps"
	"github.com/slackline/slackline/internal/studies/scenario"
	"github.com/slackline/slackline/internal/worlds/engine"
	"github.com/slackline/slackline/internal/worlds/engine/process"
	"github.com/slackline/slackline/internal/worlds/engine/streaming"
	"github.com/slackline/slackline/internal/worlds/engine/worker"
	"github.com/slackline/slackline/mapreduce"
	"github.com/slackline/slackline/units"
)

// equip gives the job what it runs: a built-in application, commands, or a program of the user's.
func (l *Local) equip(j *engine.Job, f *scenario.Job, number, maps int, now time.Time) (err error) {
	j.Timeout = f.Timeout.Duration()
	if f.Map != "" || f.Has("map") {
		return l.commands(j, f, number, maps, now)
	}
	if f.Own() {
		return own(j, f)
	}
	app, err := apps.Find(f.App)
	if err != nil {
		return f.Errorf("app", "%v; a program of your own is named by its path, such as ./%s", err, f.App)
	}
	if j.Program, err = app.New(f.Params); err != nil {
		return f.Errorf("params", "%v", err)
	}
	j.Facts, err = facts(f, nil)
	return err
}

// commands makes a job of commands.
func (l *Local) commands(j *engine.Job, f *scenario.Job, number, cut int, now time.Time) error {
	s := streaming.Job{ID: fmt.Sprintf("%d_%04d", now.UnixMilli(), number), Name: f.Name, User: f.User, KeyFields: f.KeyFields,
		PartitionFields: f.PartitionFields, OneCommand: f.OneCommand, Conf: f.Conf, Env: f.Env, Limits: limits(f), Input: f.Input, Output: f.Output, Maps: cut, Reduces: f.Reduces}
	if s.User == "" {
		if u, err := user.Current(); err == nil {
			s.User = u.Username
		}
	}
	for _, name := range slices.Sorted(maps.Keys(f.Env)) {
		if name == "" || strings.ContainsAny(name, "=\x00") || strings.ContainsRune(f.Env[name], 0) {
			return f.Errorf("env", "env: %q cannot be a variable of the environment: a name is not empty and has no = in it, and nothing has a zero byte", name)
		}
	}
	if err := checkNames(f); err != nil {
		return err
	}
	programs := map[string]string{}
	for i, text := range f.Files {
		file, err := streaming.SideFile(text)
		if err != nil {
			return f.Errorf(fmt.Sprintf("files[%d]", i), "files: %v", err)
		}
		for k, other := range s.Files {
			if other.Name == file.Name {
				return f.Errorf(fmt.Sprintf("files[%d]", i), "files: %q and %q would both be %q in the working directory; name one of them otherwise, as in PATH#NAME", f.Files[k], text, file.Name)
			}
		}
		s.Files = append(s.Files, file)
		programs["file "+file.Name] = file.Path
	}
	for _, c := range []struct {
		key, line string
		to        *[]string
	}{{"map", f.Map, &s.Map}, {"combine", f.Combine, &s.Combine}, {"reduce", f.Reduce, &s.Reduce}} {
		if !f.Has(c.key) {
			continue
		}
		words, err := streaming.Command(c.line)
		if err == nil {
			_, err = streaming.Find(words[0], s.Files)
		}
		if err != nil {
			return f.Errorf(c.key, "%s: %v", c.key, err)
		}
		*c.to = words
	}
	for i, in := range f.Inputs {
		if in.Map == "" {
			continue
		}
		words, err := streaming.Command(in.Map)
		if err == nil {
			_, err = streaming.Find(words[0], s.Files)
		}
		if err != nil {
			key := fmt.Sprintf("inputs[%d].map", i)
			return f.Errorf(key, "%s: %v", key, err)
		}
		if s.MapOf == nil {
			s.MapOf = map[string][]string{}
		}
		s.MapOf[in.Name] = words
	}
	lines := [][]string{s.Map, s.Combine, s.Reduce}
	for _, in := range f.Inputs {
		lines = append(lines, s.MapOf[in.Name])
	}
	for _, words := range lines {
		l.unlisted(f, streaming.Unlisted(words, s.Files, ".", filepath.Dir(f.Path())))
	}
	j.Executor, j.Program = streaming.New(s), &mapreduce.Program{Name: "commands"}
	var err error
	if j.Facts, err = facts(f, programs); err != nil {
		return f.Errorf("files", "files: %v", err)
	}
	return nil
}

// own makes a job of a program of the user's. It is started once, to say what it is and whether it
// likes its parameters.
func own(j *engine.Job, f *scenario.Job) error {
	words, err := streaming.Words(f.App)
	if err == nil && len(words) > 2 {
		err = fmt.Errorf("behind its path stands the name of a program in it and nothing else; parameters stand under params")
	}
	if err != nil {
		return f.Errorf("app", "app: %v", err)
	}
	w := worker.Job{Params: f.Params, Limits: limits(f)}
	path, err := scenario.LocalPath(words[0])
	if err != nil {
		return f.Errorf("app", "app: %v", err)
	}
	if w.Path, err = streaming.Runnable(words[0], path); err == nil {
		w.Path, err = filepath.Abs(w.Path)
	}
	if err != nil {
		return f.Errorf("app", "app: %v", err)
	}
	if len(words) > 1 {
		w.Program = words[1]
	}
	about, err := worker.Ask(context.Background(), w)
	var params *worker.ParamsError
	switch {
	case errors.As(err, &params):
		return f.Errorf("params", "%v", err)
	case err != nil:
		return f.Errorf("app", "app: %v", err)
	}
	if f.Reduces == 0 && about.Reduces {
		return f.Errorf("reduces", "reduces and app contradict each other: %s reduces or combines, and reduces is 0; give the job reduces, or the program neither reducer nor combiner", f.App)
	}
	j.Executor = worker.New(w)
	j.Program = about.Program(f.App)
	if j.Facts, err = facts(f, map[string]string{"program " + words[0]: w.Path}); err != nil {
		return f.Errorf("app", "app: %v", err)
	}
	return nil
}

func limits(f *scenario.Job) process.Limits {
	return process.Limits{Memory: units.Bytes(f.Limits.Memory), Time: f.Limits.Time.Duration(), Files: f.Limits.Files}
}

// Isolation says in one line what holds the processes of jobs together, and what bounds them; empty
// if no job has any.
func (l *Local) Isolation() string {
	for i := range l.jobs {
		if l.jobs[i].Executor != nil {
			return process.How()
		}
	}
	return ""
}
