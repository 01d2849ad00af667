package streaming

import (
	"fmt"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/slackline/slackline/internal/maths/each"
	"github.com/slackline/slackline/internal/worlds/engine/task"
	"github.com/slackline/slackline/mapreduce"
)

// conf is the configuration of a job or an attempt, by Hadoop's names.
type conf map[string]string

// Name makes a name of the environment of a key of the configuration: all but letters and digits
// become underscores.
func Name(key string) string {
	return strings.Map(func(c rune) rune {
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' {
			return c
		}
		return '_'
	}, key)
}

func (c conf) environ() []string {
	return each.Of(slices.Sorted(maps.Keys(c)), func(key string) string { return Name(key) + "=" + c[key] })
}

// uri writes a path as Hadoop's local file system does: file:/home/ann/a.txt. Commands run
// elsewhere, so it is whole.
func uri(path string) string {
	abs, err := filepath.Abs(path)
	if err != nil {
		return path
	}
	return "file:" + filepath.ToSlash(abs)
}

func (x *Executor) jobConf() conf {
	j := &x.job
	c := conf{
		"mapreduce.job.id":                            "job_" + j.ID,
		"mapreduce.job.name":                          j.Name,
		"mapreduce.job.user.name":                     j.User,
		"mapreduce.job.working.dir":                   uri("."),
		"mapreduce.input.fileinputformat.inputdir":    strings.Join(each.Of(j.Input, uri), ","),
		"mapreduce.output.fileoutputformat.outputdir": uri(j.Output),
		"stream.num.map.output.key.fields":            strconv.Itoa(max(1, j.KeyFields)),
		"stream.map.output.field.separator":           "\t",
		"stream.reduce.input.field.separator":         "\t",
		"stream.map.streamprocessor":                  processor(j.Map),
	}
	if j.Maps > 0 {
		c["mapreduce.job.maps"] = strconv.Itoa(j.Maps)
	}
	if j.PartitionFields > 0 {
		c["mapreduce.partition.keypartitioner.options"] = fmt.Sprintf("-k1,%d", j.PartitionFields)
	}
	if len(j.Combine) > 0 {
		c["stream.combine.streamprocessor"] = processor(j.Combine)
	}
	if len(j.Reduce) > 0 {
		c["stream.reduce.streamprocessor"] = processor(j.Reduce)
	}
	maps.Copy(c, j.Conf)
	return c
}

// processor writes a command as Hadoop's tool passes it on.
func processor(argv []string) string { return url.QueryEscape(strings.Join(argv, " ")) }

// attemptConf adds what is the attempt's own, under the names of today and those of before Hadoop
// 2, which it sets too.
func (x *Executor) attemptConf(c *task.Config, isMap bool, reduces int) conf {
	letter := "r"
	if isMap {
		letter = "m"
	}
	of := x.jobConf()
	set := func(value string, keys ...string) {
		for _, key := range keys {
			of[key] = value
		}
	}
	of["mapred.job.id"] = of["mapreduce.job.id"]
	set(strconv.Itoa(reduces), "mapreduce.job.reduces")
	set(fmt.Sprintf("task_%s_%s_%06d", x.job.ID, letter, c.Task), "mapreduce.task.id", "mapred.tip.id")
	set(fmt.Sprintf("attempt_%s_%s_%06d_%d", x.job.ID, letter, c.Task, c.Attempt), "mapreduce.task.attempt.id", "mapred.task.id")
	set(strconv.Itoa(c.Task), "mapreduce.task.partition", "mapred.task.partition")
	set(strconv.FormatBool(isMap), "mapreduce.task.ismap", "mapred.task.is.map")
	if !isMap || reduces == 0 {
		set(uri(c.Out), "mapreduce.task.output.dir", "mapred.work.output.dir")
	}
	return of
}

// environ is the whole environment of a command: ours, Hadoop's, and what the job asks for.
func (a *attempt) environ(in *mapreduce.Input) []string {
	of := maps.Clone(a.conf)
	if in != nil {
		of["mapreduce.map.input.file"] = ""
		if in.Path != "" {
			of["mapreduce.map.input.file"] = uri(in.Path)
		}
		of["mapreduce.map.input.start"] = strconv.FormatInt(in.Start, 10)
		of["mapreduce.map.input.length"] = strconv.FormatInt(in.Length, 10)
		if in.Name != "" {
			of[mapreduce.InputNameKey] = in.Name
		}
	}
	env := append(os.Environ(), of.environ()...)
	for _, name := range slices.Sorted(maps.Keys(a.x.job.Env)) {
		env = append(env, name+"="+a.x.job.Env[name])
	}
	return env
}
