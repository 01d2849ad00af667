// Package run makes a program of your own what a job file can name: its main function calls Main.
//
//	func main() { run.Main(program) }
//
// With app: ./bin in a job file, slackline run starts the binary once for each slot and has it do
// whole tasks: a panic, an os.Exit, a leak or an endless loop ends an attempt and not the engine.
// The same binary is a mapper, combiner and reducer of Hadoop Streaming:
//
//	./bin map|combine|reduce [--program NAME] [--param NAME=VALUE]...
//
// and, called without arguments by Hadoop, finds out from mapreduce_task_ismap which of the two it is.
//
// It is a package of its own as package mapreduce, which the engine itself stands on, cannot hold the engine.
package run

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/slackline/slackline/internal/worlds/engine/worker"
	"github.com/slackline/slackline/mapreduce"
)

// A Maker makes a program from the parameters of a job file. Its error is told before anything runs.
type Maker func(params map[string]string) (mapreduce.Program, error)

// Main runs the program in whatever way the process was started for, and exits. It must be called
// from main. With several programs, a job file chooses one by its name: app: ./bin NAME.
func Main(programs ...mapreduce.Program) {
	makers := map[string]Maker{}
	for _, p := range programs {
		name := p.Name
		name = cmp.Or(name, self())
		if makers[name] != nil {
			exit(fmt.Errorf("there are two programs named %q; give each its own name", name))
		}
		makers[name] = fixed(name, p)
	}
	MainOf(makers)
}

// fixed makes a program that takes no parameters.
func fixed(name string, p mapreduce.Program) Maker {
	return func(params map[string]string) (mapreduce.Program, error) {
		for param := range params {
			return p, fmt.Errorf("program %s takes no parameters, but %q was given", name, param)
		}
		return p, nil
	}
}

// MainOf is Main for programs that take parameters, by their names.
func MainOf(makers map[string]Maker) {
	if len(makers) == 0 {
		exit(errors.New("there is no program; give run.Main one"))
	}
	names := slices.Sorted(maps.Keys(makers))
	c := command{programs: worker.Programs{Names: names, Make: func(name string, params map[string]string) (*mapreduce.Program, error) {
		if name == "" && len(names) == 1 {
			name = names[0]
		}
		make := makers[name]
		if make == nil {
			return nil, fmt.Errorf("there is no program %q; there are: %s", name, strings.Join(names, ", "))
		}
		p, err := make(params)
		p.Name = cmp.Or(p.Name, name)
		return &p, err
	}}, env: os.Getenv}
	exit(c.main(os.Args[1:]))
}

func self() string {
	return strings.TrimSuffix(filepath.Base(os.Args[0]), ".exe")
}

func exit(err error) {
	if err == nil {
		os.Exit(0)
	}
	fmt.Fprintf(os.Stderr, "%s: %v\n", self(), err)
	if _, bad := errors.AsType[usage](err); bad {
		os.Exit(2)
	}
	os.Exit(1)
}

// usage is an error in how the program was called.
type usage struct{ error }

type command struct {
	programs worker.Programs
	env      func(string) string
}

func (c *command) main(args []string) error {
	if c.env(worker.Variable) == "1" && len(args) == 0 {
		return c.serve()
	}
	role, name, params, err := c.parse(args)
	if err != nil {
		return usage{err}
	}
	if name == "" && len(c.programs.Names) > 1 {
		return usage{fmt.Errorf("say which program, with --program: %s", strings.Join(c.programs.Names, ", "))}
	}
	p, err := c.programs.Make(name, params)
	if err != nil {
		return usage{err}
	}
	return p.Stream(context.Background(), role, mapreduce.Streams{In: os.Stdin, Out: os.Stdout, Report: os.Stderr, Env: c.env})
}

// serve is a worker. Its standard streams are the protocol's; what the user's code prints goes to standard error.
func (c *command) serve() error {
	in, out := os.Stdin, os.Stdout
	null, err := os.Open(os.DevNull)
	if err != nil {
		return err
	}
	os.Stdin, os.Stdout = null, os.Stderr
	if err := worker.Serve(in, out, c.programs, func() { os.Exit(1) }); err != nil && !errors.Is(err, io.ErrClosedPipe) {
		return fmt.Errorf("worker: %w", err)
	}
	return nil
}

// parse reads the arguments of a command of Hadoop Streaming.
func (c *command) parse(args []string) (role mapreduce.Role, name string, params map[string]string, err error) {
	params = map[string]string{}
	if len(args) == 0 || strings.HasPrefix(args[0], "-") {
		switch c.env("mapreduce_task_ismap") {
		case "true":
			role = mapreduce.MapRole
		case "false":
			role = mapreduce.ReduceRole
		default:
			return "", "", nil, errors.New("this program is run by a job file (app: its path), or as map, combine or reduce [--program NAME] [--param NAME=VALUE]... of Hadoop Streaming")
		}
	} else {
		role, args = mapreduce.Role(args[0]), args[1:]
		if role != mapreduce.MapRole && role != mapreduce.CombineRole && role != mapreduce.ReduceRole {
			return "", "", nil, fmt.Errorf("%q is not map, combine or reduce", role)
		}
	}
	for len(args) > 0 {
		flag, value, joined := strings.Cut(args[0], "=")
		flag = "--" + strings.TrimLeft(flag, "-")
		if args = args[1:]; !joined {
			if len(args) == 0 {
				return "", "", nil, fmt.Errorf("%s needs a value", flag)
			}
			value, args = args[0], args[1:]
		}
		switch flag {
		case "--program":
			name = value
		case "--param":
			key, v, ok := strings.Cut(value, "=")
			if !ok {
				return "", "", nil, fmt.Errorf("--param %q: write it as NAME=VALUE", value)
			}
			params[key] = v
		default:
			return "", "", nil, fmt.Errorf("there is no flag %s; there are --program and --param", flag)
		}
	}
	return role, name, params, nil
}
