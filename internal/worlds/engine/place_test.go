package engine_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/slackline/slackline/internal/fault"
	"github.com/slackline/slackline/internal/worlds/conform"
	"github.com/slackline/slackline/internal/worlds/engine"
	"github.com/slackline/slackline/internal/worlds/engine/task"
)

// sider is a job whose reduces write a file of their own beside their part, and which has somebody
// put files into the output directory meanwhile.
type sider struct {
	mapper
	name func(reduce int) string
	puts func() error // nil = nothing
}

func (s *sider) Reduce(ctx context.Context, c task.ReduceConfig) (task.Stats, error) {
	stats, err := task.Reduce(ctx, c)
	if err == nil {
		stats.Parts = append(stats.Parts, task.Part{Name: s.name(c.Task), Size: task.Unread})
		err = os.WriteFile(filepath.Join(c.Out, s.name(c.Task)), fmt.Appendf(nil, "rejects of part %d\n", c.Task), 0o666)
	}
	if err == nil && s.puts != nil {
		err = s.puts()
	}
	return stats, err
}

func rejectsOf(reduce int) string { return fmt.Sprintf("rejects-%d", reduce) }

// putting returns what puts these files there; one whose name ends with / is a directory.
func putting(out string, names ...string) func() error {
	return func() (err error) {
		for _, name := range names {
			path := filepath.Join(out, name)
			if strings.HasSuffix(name, "/") {
				err = os.MkdirAll(filepath.Join(path, "x"), 0o777)
			} else {
				err = os.WriteFile(path, []byte("mine"), 0o666)
			}
			if err != nil {
				break
			}
		}
		return err
	}
}

// siding is the configuration of such a job.
func siding(t *testing.T, in string, s *sider) engine.Config {
	cfg := config(t, in, filepath.Join(t.TempDir(), "out"))
	cfg.Jobs[0].Executor = s
	return cfg
}

// Two reduces that write files of one name are not both committed, behind a death neither. Under
// names of their own they are.
func TestSideFilesOfOneName(t *testing.T) {
	in, _ := text(t, 900)
	for _, commits := range []int{0, 10, 11} {
		cfg := siding(t, in, &sider{name: func(int) string { return "rejects" }})
		if commits == 11 {
			cfg.Jobs[0].Executor = &sider{name: rejectsOf}
		}
		if commits > 0 {
			killed(t, cfg, commits)
		}
		if commits == 11 {
			finish(t, cfg)
			got := files(t, cfg.Jobs[0].Output)
			for reduce := range 3 {
				if want := fmt.Sprintf("rejects of part %d\n", reduce); got[rejectsOf(reduce)] != want {
					t.Errorf("%s holds %q", rejectsOf(reduce), got[rejectsOf(reduce)])
				}
			}
			continue
		}
		if why := fails(t, cfg); !strings.Contains(why, `both wrote a file called "rejects", and one would overwrite the other`) {
			t.Errorf("behind %d commits: %s", commits, why)
		}
		if _, err := os.Stat(cfg.Jobs[0].Output); err == nil {
			t.Errorf("behind %d commits it left %v", commits, slices.Sorted(maps.Keys(files(t, cfg.Jobs[0].Output))))
		}
	}
}

// A job that cannot move its last part leaves nothing: neither the parts that it has moved nor what lies beside them.
func TestHalfACommitTakesSideFilesBack(t *testing.T) {
	in, _ := text(t, 900)
	cfg := siding(t, in, &sider{name: rejectsOf})
	defer fault.Use(nil)
	s := &fault.Schedule{Fail: 1, Most: 100, Error: errOdd, Grant: func(what string) bool {
		return strings.HasSuffix(what, "rejects-2") && strings.HasPrefix(what, "failed: rename")
	}}
	fault.Use(s)
	fails(t, cfg)
	if len(s.Struck()) != 4 {
		t.Errorf("struck: %v", s.Struck())
	}
	if _, err := os.Stat(cfg.Jobs[0].Output); err == nil {
		t.Errorf("left: %v", slices.Sorted(maps.Keys(files(t, cfg.Jobs[0].Output))))
	}
}

// Without its log nobody knows whose the files in place are. A job that starts again may write over
// those that it would write, byte for byte; one that has changed as well stays, and the job fails.
func TestLogThatIsLost(t *testing.T) {
	in, _ := text(t, 900)
	for _, changed := range []bool{false, true} {
		cfg := siding(t, in, &sider{name: rejectsOf})
		out := cfg.Jobs[0].Output
		fault.Use(&fault.Schedule{DieAll: true, Counts: func(_ fault.Op, path string) bool { return filepath.Base(path) == "_SUCCESS" }})
		dies(t, cfg, conform.Friendly{})
		if err := os.Remove(filepath.Join(out, "_temporary", "log")); err != nil {
			t.Fatal(err)
		}
		if _, err := engine.New(cfg); err == nil || !strings.Contains(err.Error(), "its log is damaged") {
			t.Errorf("it says %v", err)
		}
		cfg.Fresh = true
		if !changed {
			if finish(t, cfg); len(files(t, out)) != 7 {
				t.Errorf("there are %v", slices.Sorted(maps.Keys(files(t, out))))
			}
			continue
		}
		if err := putting(out, "part-r-00001")(); err != nil {
			t.Fatal(err)
		}
		if why := fails(t, cfg); !strings.Contains(why, "part-r-00001 exists already") {
			t.Errorf("it says %s", why)
		}
	}
}

// A log that lost its first line does not say what its tasks were of: nothing is taken over from it.
func TestLogWithoutItsJob(t *testing.T) {
	in, _ := text(t, 900)
	cfg := siding(t, in, &sider{name: rejectsOf})
	out := cfg.Jobs[0].Output
	dies(t, cfg, conform.Friendly{}, &killer{left: 2})
	path := filepath.Join(out, "_temporary", "log")
	log, err := os.ReadFile(path)
	if err != nil || bytes.Count(log, []byte{'\n'}) < 3 {
		t.Fatalf("%v, the log is %q: this tests nothing", err, log)
	}
	log[20] ^= 1
	if err := os.WriteFile(path, log, 0o666); err != nil {
		t.Fatal(err)
	}
	_, r := finish(t, cfg)
	if len(r) > 0 && r[0].Maps+r[0].Reduces > 0 || len(files(t, out)) != 7 {
		t.Errorf("it went on from %+v, and there are %v", r, slices.Sorted(maps.Keys(files(t, out))))
	}
}

// What the user puts into the output directory stays as it is, under whatever name: a job that
// fails does not remove it, and one that would overwrite it fails and names it.
func TestUsersFilesStay(t *testing.T) {
	in, _ := text(t, 900)
	for name, c := range map[string]struct {
		puts []string
		says string // "" = the job fails for a reason of its own
	}{
		"a job that fails":   {[]string{"notes", "part-r-00002", "part-r-00077", "_SUCCESS"}, ""},
		"in place of one":    {[]string{"notes", "part-r-00002"}, "part-r-00002 exists already"},
		"beside the parts":   {[]string{"rejects-1", "part-r-00077"}, "rejects-1 exists already"},
		"a directory":        {[]string{"part-r-00002/"}, "part-r-00002 exists already"},
		"the end of the job": {[]string{"_SUCCESS"}, "_SUCCESS exists already"},
	} {
		t.Run(name, func(t *testing.T) {
			s := &sider{name: rejectsOf}
			cfg := siding(t, in, s)
			out := cfg.Jobs[0].Output
			s.puts = putting(out, c.puts...)
			if c.says == "" {
				s.puts = func() error { return errors.Join(putting(out, c.puts...)(), errors.New("broken")) }
			}
			if why := fails(t, cfg); !strings.Contains(why, c.says) {
				t.Errorf("it says %s", why)
			}
			entries, err := os.ReadDir(out)
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range entries {
				if !slices.Contains(c.puts, e.Name()) && !slices.Contains(c.puts, e.Name()+"/") {
					t.Errorf("%s is left", e.Name())
				}
			}
			for name, text := range files(t, out) {
				if text != "mine" {
					t.Errorf("%s holds %q", name, text)
				}
			}
			if len(entries) != len(c.puts) {
				t.Errorf("of %v stays %v", c.puts, entries)
			}
		})
	}
}

// A process that dies in the commit of its job has moved some files. The next one replaces what has
// changed of them since; that somebody has put a file into the place of another it says, and leaves
// it.
func TestResumeBetweenOursAndTheirs(t *testing.T) {
	in, _ := text(t, 900)
	all := []string{"part-r-00000", "part-r-00001", "part-r-00002", "rejects-0", "rejects-1", "rejects-2"}
	for _, which := range []string{"moved part", "waiting part", "waiting rejects", "foreign part"} {
		for _, fresh := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, fresh %v", which, fresh), func(t *testing.T) {
				cfg := siding(t, in, &sider{name: rejectsOf})
				out := cfg.Jobs[0].Output
				fault.Use(&fault.Schedule{DieAll: true, After: 3, Counts: func(op fault.Op, path string) bool {
					return op == fault.Rename && strings.Contains(path, "task_r_")
				}})
				dies(t, cfg, conform.Friendly{})
				of := map[string]string{"foreign part": "part-r-00077"}
				for _, name := range all {
					state := "moved "
					if _, err := os.Stat(filepath.Join(out, name)); err != nil {
						state = "waiting "
					}
					kind, _, _ := strings.Cut(name, "-")
					of[state+kind] = name
				}
				name := of[which]
				if err := putting(out, name)(); len(of) != 5 || err != nil {
					t.Fatal(of, err)
				}
				cfg.Fresh = fresh
				if strings.HasPrefix(which, "waiting") {
					if why := fails(t, cfg); !strings.Contains(why, name+" exists already") {
						t.Errorf("it says %s", why)
					}
					if left := files(t, out); !maps.Equal(left, map[string]string{name: "mine"}) {
						t.Errorf("left: %v", left)
					}
					return
				}
				finish(t, cfg)
				want := append([]string{"_SUCCESS"}, all...)
				if which == "foreign part" {
					want = append(want, name)
				}
				slices.Sort(want)
				got := files(t, out)
				if names := slices.Sorted(maps.Keys(got)); !slices.Equal(names, want) {
					t.Errorf("there are %v, want %v", names, want)
				}
				if mine := got[name] == "mine"; mine != (which == "foreign part") {
					t.Errorf("%s is somebody else's: %v", name, mine)
				}
			})
		}
	}
}
