package runs_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/slackline/slackline/internal/runs"
	"github.com/slackline/slackline/internal/studies/scenario"
)

// moved is a job file as arguments of Hadoop Streaming, or what is wrong with it.
func moved(t *testing.T, text string) string {
	t.Helper()
	j, err := scenario.ReadJob("words.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	args, err := runs.Streaming(j, "/opt/slackline", time.UnixMilli(1_000_000), nil)
	if err != nil {
		return err.Error()
	}
	return strings.Join(args, " | ")
}

// A job file says to Hadoop Streaming what it says to a run on this machine. Files are cut as Hadoop cuts them:
// into blocks, or half of all where that is less; what is left may be a tenth more.
func TestApplication(t *testing.T) {
	j := &scenario.Job{Name: "j", Reduces: 2}
	for _, c := range []struct {
		sizes []int64
		set   string
		want  []int64
	}{
		{[]int64{300, 50}, "x=1", []int64{100, 100, 100, 50}},
		{[]int64{110}, "x=1", []int64{55, 55}},
		{[]int64{211, 210}, "x=1", []int64{100, 100, 11, 100, 110}},
		{[]int64{0, 120}, "x=1", []int64{0, 60, 60}},
		{[]int64{120}, "mapreduce.job.maps=1", []int64{100, 20}},
		{[]int64{400}, "mapreduce.input.fileinputformat.split.minsize=250", []int64{250, 150}},
	} {
		var files []runs.Stored
		for _, n := range c.sizes {
			files = append(files, runs.Stored{Size: n})
		}
		x := runs.Application(j, []string{"-D", c.set, "-D", "mapreduce.job.tags=a,in:9"}, files, 100)
		if y := runs.Application(j, nil, []runs.Stored{{Size: 700, Whole: true}}, 100); len(y.Files.Splits) != 1 {
			t.Errorf("a compressed file is cut: %v", y)
		}
		var got []int64
		for _, s := range x.Files.Splits {
			got = append(got, s.Bytes)
		}
		if !slices.Equal(got, c.want) || x.Files.Reduces != 2 || !slices.Equal(x.Tags, []string{"a", "in:9"}) || x.Files.Map != nil {
			t.Errorf("%v, %s: %v, want %v; %v", c.sizes, c.set, got, c.want, x)
		}
	}
}

func TestStreaming(t *testing.T) {
	here, err := filepath.Abs(".")
	if err != nil {
		t.Fatal(err)
	}
	const always = "-D | mapreduce.job.name=words | -D | mapreduce.job.reduces=2 | -D | mapreduce.job.reduce.slowstart.completedmaps=1" +
		" | -D | mapreduce.input.fileinputformat.input.dir.recursive=true | "
	for _, c := range []struct{ what, text, want string }{
		{"a built-in application", "app: wordcount\ninput: [a, b/*]\noutput: o\nreduces: 2\ndeadline: 90s\n", always +
			"-D | mapreduce.job.tags=class:wordcount,in:90 | -files | file:///opt/slackline#slackline | -mapper | ./slackline stream map wordcount" +
			" | -combiner | ./slackline stream combine wordcount | -reducer | ./slackline stream reduce wordcount | -input | a | -input | b/* | -output | o"},
		{"with parameters", "app: grep\nparams: {pattern: a 100% b}\ninput: a\noutput: o\nreduces: 2\n", always +
			"-D | mapreduce.job.tags=class:grep~a100b-5b4bc460 | -files | file:///opt/slackline#slackline | -mapper | ./slackline stream map grep --param 'pattern=a 100% b'" +
			" | -combiner | ./slackline stream combine grep --param 'pattern=a 100% b' | -reducer | ./slackline stream reduce grep --param 'pattern=a 100% b' | -input | a | -output | o"},
		{"commands", "map: awk -f m.awk\nreduce: sort -u\nfiles: [x/m.awk, y#z]\nkey_fields: 2\npartition_fields: 1\nconf: {b.c: d, a: '1'}\nenv: {LC_ALL: C}\n" +
			"input: a\noutput: o\nreduces: 2\ntimeout: 90s\nqueue: q\npriority: 5\nweight: 2.5\nsoft_deadline: 10s\nby: 20s\nclass: c\n", always +
			"-D | mapreduce.task.timeout=90000 | -D | mapreduce.job.queuename=q | -D | mapreduce.job.priority=5 | -D | mapreduce.job.tags=class:c,in:20,soft:1010000,weight:2.5" +
			" | -D | stream.num.map.output.key.fields=2 | -D | mapreduce.partition.keypartitioner.options=-k1,1" +
			" | -D | a=1 | -D | b.c=d | -files | file://" + here + "/x/m.awk#m.awk,file://" + here + "/y#z | -mapper | awk -f m.awk | -reducer | sort -u" +
			" | -partitioner | org.apache.hadoop.mapred.lib.KeyFieldBasedPartitioner | -cmdenv | LC_ALL=C | -input | a | -output | o"},
		{"a combiner that reduces", "map: cat\ncombine: uniq\ninput: a\noutput: o\nreduces: 2\n", always +
			"-mapper | cat | -combiner | uniq | -reducer | uniq | -input | a | -output | o"},
		{"in a workflow, with its deadline", "map: cat\nreduce: uniq\ninput: a\noutput: o\nreduces: 2\nworkflow: ETL\nworkflow_deadline: 90s\n", always +
			"-D | mapreduce.job.tags=wf:etl,vdl:1090000 | -mapper | cat | -reducer | uniq | -input | a | -output | o"},
		{"a program of one's own", "app: ./bin/words\ninput: a\noutput: o\nreduces: 2\nclass: w\n", always +
			"-D | mapreduce.job.tags=class:w | -files | file://" + here + "/bin/words#words | -mapper | ./words map | -reducer | ./words reduce | -input | a | -output | o"},
	} {
		if got := moved(t, c.text); filepath.Separator == '/' && got != c.want {
			t.Errorf("%s\ngot  %s\nwant %s", c.what, got, c.want)
		}
	}
	if got := moved(t, "map: cat\ninput: a\noutput: o\nreduces: 0\n"); strings.Contains(got, "-reducer") || !strings.Contains(got, "reduces=0") {
		t.Errorf("a job without reduces: %s", got)
	}
}

// What cannot move is refused by the line where it stands.
func TestStreamingRefuses(t *testing.T) {
	for _, c := range [][2]string{
		{"app: terasort\n", "words.yaml:3:6: terasort cannot move to a Hadoop cluster"},
		{"map: cat\none_command: true\n", "words.yaml:4:14: one_command cannot move to a Hadoop cluster"},
		{"app: wordcount\nskip_bad_records: 2\n", "words.yaml:4:19: skip_bad_records cannot move"},
		{"app: wordcount\ncompress: gzip\n", "words.yaml:4:11: compress cannot move"},
		{"app: wordcount\ninput_format: kv\n", "words.yaml:4:15: input_format cannot move"},
		{"map: cat\nlimits: {memory: 1GB}\n", "words.yaml:4:9: limits cannot move"},
		{"map: cat\nlabels: [x]\n", "words.yaml:4:9: labels cannot move"},
		{"map: cat\nuser: anna\n", "words.yaml:4:7: user cannot move"},
		{"map: cat\nconfidence: 99%\n", "words.yaml:4:13: confidence cannot move"},
		{"map: cat\narrive: 3s\n", "words.yaml:4:9: arrive cannot move"},
		{"map: cat\nclass: a b\n", `words.yaml:4:8: "class:a b" cannot be a tag`},
		{"map: cat\nclass: ETL\n", `words.yaml:4:8: the class "ETL" cannot move to a Hadoop cluster, whose tags are in lower case; write class: etl`},
		{"map: cat\nfiles: ['a,b']\n", `words.yaml:4:8: the file "a,b" cannot move`},
		{"app: ./words\nparams: {a: b}\n", "words.yaml:4:9: params cannot move"},
		{"map: cat\ndeadline: 1970-01-01T00:00:01Z\n", "words.yaml:4:11: the deadline has passed"},
	} {
		if got := moved(t, "input: a\noutput: o\n"+c[0]); !strings.HasPrefix(got, c[1]) {
			t.Errorf("%q\ngot  %s\nwant %s…", c[0], got, c[1])
		}
	}
}
