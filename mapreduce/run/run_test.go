package run

import (
	"errors"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/slackline/slackline/internal/worlds/engine/worker"
	"github.com/slackline/slackline/mapreduce"
)

func count(name, before string) mapreduce.Program {
	return mapreduce.Typed[string, string, int64, int64]{Name: name,
		Map: func(_ *mapreduce.Context, line string, emit func(string, int64)) error {
			for w := range strings.FieldsSeq(line) {
				emit(before+w, 1)
			}
			return nil
		},
		Combine: func(a, b int64) int64 { return a + b },
	}.Program()
}

// The test binary is a user's program.
func TestMain(m *testing.M) {
	switch os.Getenv("RUN_TEST") {
	case "one":
		Main(count("", ""))
	case "two":
		Main(count("first", ""), count("second", "2"))
	case "same":
		Main(count("a", ""), count("a", ""))
	case "none":
		Main()
	case "params":
		MainOf(map[string]Maker{"tag": func(params map[string]string) (mapreduce.Program, error) {
			if len(params) != 1 || params["tag"] == "" {
				return mapreduce.Program{}, errors.New("tag needs the parameter tag")
			}
			return count("tag", params["tag"]), nil
		}})
	}
	os.Exit(m.Run())
}

func program(t *testing.T, kind, in string, env []string, args ...string) (out, errs string, code int) {
	t.Helper()
	cmd := exec.Command(os.Args[0], args...)
	cmd.Env = append(append(os.Environ(), "RUN_TEST="+kind, "GORACE=atexit_sleep_ms=0"), env...)
	var o, e strings.Builder
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(in), &o, &e
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return o.String(), e.String(), cmd.ProcessState.ExitCode()
}

func TestStreaming(t *testing.T) {
	for _, c := range []struct {
		kind, in, want string
		env, args      []string
	}{
		{"one", "a b a\n", "a\t2\nb\t1\n", nil, []string{"map"}},
		{"one", "a\t1\na\t1\n", "a\t2\n", nil, []string{"combine"}},
		{"one", "a\t1\na\t1\n", "a\t2\n", nil, []string{"reduce"}},
		{"one", "a\n", "a\t1\n", []string{"mapreduce_task_ismap=true"}, nil},
		{"one", "a\t1\na\t1\n", "a\t2\n", []string{"mapreduce_task_ismap=false"}, nil},
		{"two", "a\n", "2a\t1\n", nil, []string{"map", "--program", "second"}},
		{"two", "a\n", "2a\t1\n", []string{"mapreduce_task_ismap=true"}, []string{"--program=second"}},
		{"params", "a\n", "x=ya\t1\n", nil, []string{"map", "--param", "tag=x=y"}},
	} {
		if out, errs, code := program(t, c.kind, c.in, c.env, c.args...); out != c.want || code != 0 {
			t.Errorf("%s %v: %q, exit code %d\n%s", c.kind, c.args, out, code, errs)
		}
	}
}

func TestRefuses(t *testing.T) {
	for _, c := range []struct {
		kind, want string
		code       int
		args       []string
	}{
		{"one", "this program is run by a job file", 2, nil},
		{"one", `"shuffle" is not map, combine or reduce`, 2, []string{"shuffle"}},
		{"one", "--param needs a value", 2, []string{"map", "--param"}},
		{"one", `--param "a": write it as NAME=VALUE`, 2, []string{"map", "--param", "a"}},
		{"one", "there is no flag --verbose", 2, []string{"map", "-verbose=1"}},
		{"one", `takes no parameters, but "a" was given`, 2, []string{"map", "--param", "a=b"}},
		{"two", "say which program, with --program: first, second", 2, []string{"map"}},
		{"two", `there is no program "third"; there are: first, second`, 2, []string{"map", "--program", "third"}},
		{"params", "tag needs the parameter tag", 2, []string{"map"}},
		{"same", `there are two programs named "a"`, 1, []string{"map"}},
		{"none", "there is no program", 1, []string{"map"}},
	} {
		out, errs, code := program(t, c.kind, "", nil, c.args...)
		if out != "" || code != c.code || !strings.Contains(errs, c.want) || strings.Count(errs, "\n") != 1 {
			t.Errorf("%s %v: exit code %d, %q, want %q", c.kind, c.args, code, errs, c.want)
		}
	}
	// A reducer that is handed nonsense fails, and says what it was.
	if _, errs, code := program(t, "one", "a\tb\n", nil, "reduce"); code != 1 || !strings.Contains(errs, `"b" is not a whole number`) {
		t.Errorf("exit code %d, %q", code, errs)
	}
}

// The same binary answers an engine.
func TestWorker(t *testing.T) {
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("RUN_TEST", "two")
	if _, err := worker.Ask(t.Context(), worker.Job{Path: path, Program: "second"}); err != nil {
		t.Error(err)
	}
	t.Setenv("RUN_TEST", "params")
	var params *worker.ParamsError
	if _, err := worker.Ask(t.Context(), worker.Job{Path: path}); !errors.As(err, &params) || err.Error() != "tag needs the parameter tag" {
		t.Errorf("%v", err)
	}
}

// A program without a name is told by that of its binary.
func TestFixedTakesNoParameters(t *testing.T) {
	_, err := fixed("words", mapreduce.Program{})(map[string]string{"x": "1"})
	if err == nil || err.Error() != `program words takes no parameters, but "x" was given` {
		t.Errorf("%v", err)
	}
}
