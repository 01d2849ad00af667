package equip

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/slackline/slackline/cluster"
	"github.com/slackline/slackline/internal/apps"
	"github.com/slackline/slackline/internal/studies/scenario"
	"github.com/slackline/slackline/internal/worlds/engine/process"
	"github.com/slackline/slackline/internal/worlds/engine/streaming"
	"github.com/slackline/slackline/internal/worlds/engine/worker"
	"github.com/slackline/slackline/mapreduce"
	"github.com/slackline/slackline/units"
)

// Kinds are the containers of maps that have a command for GPUs and one for CPUs.
var Kinds = []cluster.Container{{Name: "gpu", Needs: units.Vector{units.Named0: 1}}, {Name: "cpu", Needs: units.Slots(1, 0)}}

func (j *Job) commands() bool { return j.File.Has("map") }

// program finds what the job runs: a built-in application, or a program of the user's; of commands
// it is what stands in for them. It returns the files that run, by the names that tell them.
func (j *Job) program() (programs map[string]string, err error) {
	f := j.File
	switch {
	case j.commands():
		j.Program = &mapreduce.Program{Name: "commands"}
		return nil, nil
	case f.Own():
		return j.own()
	}
	app, err := apps.Find(f.App)
	if err != nil {
		return nil, f.Errorf("app", "%v; give your own program by its path, such as ./%s", err, f.App)
	}
	if j.Program, err = app.New(f.Params); err != nil {
		return nil, f.Errorf("params", "%v", err)
	}
	return nil, nil
}

// own makes a job of a program of the user's. It is started once, to say what it is and whether it
// likes its parameters.
func (j *Job) own() (programs map[string]string, err error) {
	f := j.File
	words, err := streaming.Words(f.App)
	if err == nil && len(words) > 2 {
		err = fmt.Errorf("only the name of a program may follow its path; write parameters under params")
	}
	if err != nil {
		return nil, f.Errorf("app", "app: %v", err)
	}
	w := worker.Job{Params: f.Params, Limits: limits(f)}
	path, err := scenario.LocalPath(words[0])
	if err == nil {
		w.Path, err = streaming.Runnable(words[0], path)
	}
	if err == nil {
		w.Path, err = filepath.Abs(w.Path)
	}
	if err != nil {
		return nil, f.Errorf("app", "app: %v", err)
	}
	if len(words) > 1 {
		w.Program = words[1]
	}
	about, err := worker.Ask(context.Background(), w)
	var params *worker.ParamsError
	switch {
	case errors.As(err, &params):
		return nil, f.Errorf("params", "%v", err)
	case err != nil:
		return nil, f.Errorf("app", "app: %v", err)
	}
	if f.Reduces == 0 && about.Reduces {
		return nil, f.Errorf("reduces", "reduces and app contradict each other: %s reduces or combines, and reduces is 0; give the job reduces, or the program neither reducer nor combiner", f.App)
	}
	j.Executor, j.Program = worker.New(w), about.Program(f.App)
	return map[string]string{"program " + words[0]: w.Path}, nil
}

// prepare makes a job of commands.
func (j *Job) prepare(id string, o Options) (programs map[string]string, err error) {
	f := j.File
	s := streaming.Job{ID: id, Name: f.Name, User: f.User, KeyFields: f.KeyFields, PartitionFields: f.PartitionFields,
		OneCommand: f.OneCommand, Conf: f.Conf, Env: f.Env, Limits: limits(f), Input: f.Input, Output: f.Output,
		Maps: len(j.Splits), Reduces: f.Reduces, AtOnce: o.Maps}
	if s.User == "" {
		if u, err := user.Current(); err == nil {
			s.User = u.Username
		}
	}
	var lines []streaming.CommandLine
	for _, l := range []streaming.CommandLine{
		{Key: "map", Text: f.Map.CPU}, {Key: "map.gpu", Text: f.Map.GPU}, {Key: "combine", Text: f.Combine}, {Key: "reduce", Text: f.Reduce},
	} {
		if f.Has(l.Key) {
			lines = append(lines, l)
		}
	}
	for i, in := range f.Inputs {
		if in.Map != "" {
			lines = append(lines, streaming.CommandLine{Key: fmt.Sprintf("inputs[%d].map", i), Text: in.Map, Input: in.Name})
		}
	}
	unlisted, err := s.Prepare(lines, f.Files, j.fed, ".", filepath.Dir(f.Path()))
	if wrong, ok := errors.AsType[*streaming.KeyError](err); ok {
		return nil, f.Errorf(wrong.Key, "%v", err)
	}
	for _, name := range unlisted { // what looks like a file may be some other word, so it is not refused
		o.Warn(fmt.Sprintf("warning: job %q: a command names %s, which is here and not listed under files, "+
			"so the command will not find it; add files: [%s]", f.Name, name, name))
	}
	j.Executor = streaming.New(s)
	if f.Map.GPU != "" {
		j.Containers = Kinds
	}
	programs = make(map[string]string)
	for _, file := range s.Files {
		programs["file "+file.Name] = file.Path
	}
	for _, l := range lines {
		for _, path := range append(named(l.Text), slices.DeleteFunc(scenario.Paths(l.Text), func(path string) bool { return !j.part(path) })...) {
			programs["file "+path] = path
		}
	}
	for _, name := range slices.Sorted(maps.Keys(programs)) {
		with, cr := strings.CutSuffix(streaming.Interpreter(programs[name]), "\r")
		if cr && !slices.ContainsFunc(lines, func(l streaming.CommandLine) bool { return handed(l.Text, programs[name], with) }) {
			o.Warn(fmt.Sprintf("warning: job %q: the first line of %s ends in CR LF, so the system looks for %q and not for %s; save it with LF", f.Name, programs[name], with+"\r", with))
		}
	}
	return programs, err
}

// apart separates the words of a command line that stands in one, as in sh -c 'cat | map.sh'.
var apart = regexp.MustCompile("[\\s'\"`|<>;&()=]+")

// handed tells whether a command hands a script to its interpreter, as python3 map.py does: then the system does not
// look at the script's first line. Shells, too, but they stumble over the ends of the other lines.
func handed(command, script, interpreter string) bool {
	plain := func(path string) string { return strings.TrimRight(filepath.Base(path), "0123456789.") }
	before := ""
	for _, word := range apart.Split(command, -1) {
		switch {
		case word != "" && filepath.Base(word) == filepath.Base(script):
			return plain(before) == plain(interpreter) && !strings.HasSuffix(plain(before), "sh")
		case word != "" && !strings.HasPrefix(word, "-"):
			before = word
		}
	}
	return false
}

// named are the files that a command names by their whole paths, also within a word, as in sh -c
// 'python3 /home/ann/map.py' or awk -f/home/ann/map.awk: what they hold decides what the command
// does. So are scripts that it names by a word which PATH leads to; programs of the system, which are
// no scripts, are taken as they are.
func named(command string) (paths []string) {
	words, _ := streaming.Words(command)
	for _, word := range words {
		found := append(scenario.Paths(word), word)
		for _, part := range apart.Split(word, -1) {
			if path, err := exec.LookPath(part); part != "" && err == nil && isScript(path) {
				found = append(found, path)
			}
		}
		for _, path := range found {
			info, err := os.Stat(path)
			if filepath.IsAbs(path) && err == nil && info.Mode().IsRegular() && !slices.Contains(paths, path) {
				paths = append(paths, path)
			}
		}
	}
	return paths
}

// isScript tells whether the first bytes of a file are those of a script.
func isScript(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	head := make([]byte, 2)
	_, err = io.ReadFull(f, head)
	return err == nil && string(head) == "#!"
}

func limits(f *scenario.Job) process.Limits {
	return process.Limits{Memory: units.Bytes(f.Limits.Memory), Time: f.Limits.Time.Duration(), Files: f.Limits.Files}
}
