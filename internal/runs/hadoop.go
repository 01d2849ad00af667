package runs

import (
	"cmp"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/slackline/slackline/internal/apps"
	"github.com/slackline/slackline/internal/studies/scenario"
	"github.com/slackline/slackline/internal/worlds/yarn/wire"
	"github.com/slackline/slackline/mapreduce"
	"github.com/slackline/slackline/units"
)

// Streaming says how a job file runs on a Hadoop cluster by Hadoop Streaming: the arguments behind the streaming
// jar. Self is this program, by which nodes run built-in applications; cut is how a plan has it cut, nil: as the file
// says. The error names the line of what cannot move.
func Streaming(j *scenario.Job, self string, now time.Time, cut *Cutting) ([]string, error) {
	s := streaming{job: j, cut: cut}
	if err := s.stays(); err != nil {
		return nil, err
	}
	s.set("mapreduce.job.name", j.Name)
	reduces := j.Reduces
	if cut != nil {
		reduces = cut.Reduces
		for _, key := range []string{"job.maps", "input.fileinputformat.split.minsize", "input.fileinputformat.split.maxsize"} {
			n := cut.split
			if key == "job.maps" {
				n = cut.goal
			}
			if n > 0 {
				s.set("mapreduce."+key, strconv.FormatInt(n, 10))
			}
		}
	}
	s.set("mapreduce.job.reduces", strconv.Itoa(reduces))
	s.set("mapreduce.job.reduce.slowstart.completedmaps", strconv.FormatFloat(j.SlowStart, 'g', -1, 64))
	s.set("mapreduce.input.fileinputformat.input.dir.recursive", "true") // as a run on this machine reads directories
	if j.Timeout > 0 {
		s.set("mapreduce.task.timeout", strconv.FormatInt(int64(units.Duration(j.Timeout)/units.Millisecond), 10))
	}
	if j.Has("queue") {
		s.set("mapreduce.job.queuename", j.Queue)
	}
	if j.Has("priority") {
		s.set("mapreduce.job.priority", strconv.Itoa(j.Priority))
	}
	if err := s.tags(now); err != nil {
		return nil, err
	}
	if j.Map.CPU != "" {
		s.commands()
	} else if err := s.application(self); err != nil {
		return nil, err
	}
	args := s.generic
	if len(s.files) > 0 {
		args = append(args, "-files", strings.Join(s.files, ","))
	}
	args = append(args, s.own...)
	for _, in := range j.Input {
		args = append(args, "-input", in)
	}
	return append(args, "-output", j.Output), nil
}

// Application is what a cluster would be told of a job that was submitted with these arguments, and reads files of
// these sizes in blocks of so many bytes. Its input is cut as Hadoop Streaming does it.
func Application(j *scenario.Job, args []string, files []Stored, block int64) *wire.Application {
	set := map[string]string{"mapreduce.job.queuename": "default", "mapreduce.job.maps": "2"}
	for i := 1; i < len(args); i++ {
		if key, value, is := strings.Cut(args[i], "="); is && args[i-1] == "-D" {
			set[key] = value
		}
	}
	number := func(key string) int64 {
		n, _ := strconv.ParseInt(set[key], 10, 64) // 0 where Hadoop would refuse it
		return n
	}
	takes := func(memory, vcores string) map[string]int64 { // what the site has for all, only its cluster knows
		if set[memory] == "" {
			return nil
		}
		return map[string]int64{"memory-mb": number(memory), "vcores": max(1, number(vcores))}
	}
	x := &wire.Application{Id: j.Name, Name: j.Name, Type: "MAPREDUCE", Queue: set["mapreduce.job.queuename"], User: j.User, Priority: int32(j.Priority),
		Master: takes("yarn.app.mapreduce.am.resource.mb", "yarn.app.mapreduce.am.resource.cpu-vcores")}
	if tags := set["mapreduce.job.tags"]; tags != "" {
		x.Tags = strings.Split(tags, ",")
	}
	x.Files = &wire.Files{Reduces: int32(j.Reduces), SlowStart: j.SlowStart, Map: takes("mapreduce.map.memory.mb", "mapreduce.map.cpu.vcores"),
		Reduce: takes("mapreduce.reduce.memory.mb", "mapreduce.reduce.cpu.vcores")}
	size := max(1, number("mapreduce.input.fileinputformat.split.minsize"), min(sizeOf(files, func(f Stored) int64 { return f.Size })/max(1, number("mapreduce.job.maps")), block))
	x.Files.Splits = splitsOf(files, size)
	return x
}

// splitsOf cuts files as FileInputFormat does.
func splitsOf(files []Stored, size int64) (list []*wire.Split) {
	for _, f := range files {
		left := f.Size
		for ; !f.Whole && float64(left) > splitSlop*float64(size); left -= size {
			list = append(list, &wire.Split{Bytes: size})
		}
		list = append(list, &wire.Split{Bytes: left})
	}
	return list
}

// Stored is a file of a cluster's file system. One that is compressed is read as a whole.
type Stored struct {
	Size  int64
	Whole bool
}

// splitSlop is by how much the last split of a file may be larger than the others (FileInputFormat.SPLIT_SLOP).
const splitSlop = 1.1

// streaming is a job on its way to Hadoop Streaming, which wants generic options before its own.
type streaming struct {
	job                 *scenario.Job
	cut                 *Cutting
	generic, files, own []string
}

func (s *streaming) set(key, value string) { s.generic = append(s.generic, "-D", key+"="+value) }

// stays refuses keys that mean nothing on a Hadoop cluster, or something else.
func (s *streaming) stays() error {
	for _, k := range [][2]string{
		{"inputs", "several inputs that are told apart"}, {"input_format", "formats of records"}, {"output_format", "formats of records"},
		{"csv", "formats of records"}, {"compress", "formats of records"}, {"one_command", "one command for several files"},
		{"skip_bad_records", "passing over bad records"}, {"limits", "limits of processes, which are the NodeManagers' there"},
		{"arrive", "a time of submission"}, {"labels", "labels"},
		{"user", "another user"}, {"confidence", "a confidence"},
	} {
		if s.job.Has(k[0]) {
			return s.job.Errorf(k[0], "%s cannot move to a Hadoop cluster: %s cannot be expressed in Hadoop Streaming; leave it out", k[0], k[1])
		}
	}
	for _, f := range s.job.Files {
		if strings.Contains(f, ",") {
			return s.job.Errorf("files", "the file %q cannot move to a Hadoop cluster, which separates files by commas", f)
		}
	}
	return nil
}

// tags say what Slackline is to know of the job there.
func (s *streaming) tags(now time.Time) error {
	j := s.job
	named := map[bool]string{true: "class"}[j.Has("class")]
	var tags []string
	switch lower := strings.ToLower(j.Class); {
	case j.Class == j.Name: // so is the class of an application without such a tag
	case j.Class != lower:
		return j.Errorf(cmp.Or(named, "app"), "the class %q cannot move to a Hadoop cluster, whose tags are in lower case; write class: %s", j.Class, lower)
	default:
		tags = append(tags, "class:"+j.Class)
	}
	key := "deadline"
	if j.By.Set() {
		key = "by"
	}
	hard, soft, overdue := j.Due(now)
	if j.Deadline.Set() {
		left := hard.Sub(0)
		if overdue > 0 || left < units.Second {
			return j.Errorf(key, "the deadline has passed, or is less than a second away")
		}
		tags = append(tags, fmt.Sprintf("in:%d", left/units.Second))
	}
	if j.Soft.Set() {
		tags = append(tags, fmt.Sprintf("soft:%d", now.Add(time.Duration(soft)).UnixMilli()))
	}
	if j.Workflow != "" { // tags are in lower case
		tags = append(tags, "wf:"+strings.ToLower(j.Workflow))
	}
	switch {
	case s.cut != nil:
		tags = append(tags, fmt.Sprintf("vdl:%d", s.cut.Due.UnixMilli()))
	case j.WorkflowDue.Set():
		tags = append(tags, fmt.Sprintf("vdl:%d", now.Add(time.Duration(j.WorkflowBy(now))).UnixMilli()))
	}
	if j.Has("weight") {
		tags = append(tags, "weight:"+strconv.FormatFloat(j.Weight, 'g', -1, 64))
	}
	for _, t := range tags {
		if len(t) > 100 || strings.ContainsFunc(t, func(r rune) bool { return r <= ' ' || r > '~' || r == ',' }) {
			return j.Errorf(cmp.Or(named, "name"),
				"%q cannot be a tag of YARN's: that has at most 100 ASCII characters, no space and no comma", t)
		}
	}
	if len(tags) > 0 {
		s.set("mapreduce.job.tags", strings.Join(tags, ","))
	}
	return nil
}

// commands has the job's commands run as they stand.
func (s *streaming) commands() {
	j := s.job
	if j.KeyFields > 1 {
		s.set("stream.num.map.output.key.fields", strconv.Itoa(j.KeyFields))
	}
	partitioner := j.PartitionFields > 0 && j.PartitionFields < j.KeyFields
	if partitioner {
		s.set("mapreduce.partition.keypartitioner.options", fmt.Sprintf("-k1,%d", j.PartitionFields))
	}
	for _, k := range slices.Sorted(maps.Keys(j.Conf)) {
		s.set(k, j.Conf[k])
	}
	for _, f := range j.Files {
		s.file(f)
	}
	s.own = append(s.own, "-mapper", j.Map.CPU)
	if j.Combine != "" {
		s.own = append(s.own, "-combiner", j.Combine)
	}
	if reduce := cmp.Or(j.Reduce, j.Combine); reduce != "" && j.Reduces > 0 {
		s.own = append(s.own, "-reducer", reduce)
	}
	if partitioner {
		s.own = append(s.own, "-partitioner", "org.apache.hadoop.mapred.lib.KeyFieldBasedPartitioner")
	}
	for _, k := range slices.Sorted(maps.Keys(j.Env)) {
		s.own = append(s.own, "-cmdenv", k+"="+j.Env[k])
	}
}

// file has a side file brought to each task.
func (s *streaming) file(path string) {
	path, name, named := strings.Cut(path, "#")
	if !named {
		name = filepath.Base(path)
	}
	if abs, err := filepath.Abs(path); err == nil {
		path = abs
	}
	s.files = append(s.files, "file://"+filepath.ToSlash(path)+"#"+name)
}

// application has the roles of a built-in application, or of the user's own program, run as commands.
func (s *streaming) application(self string) error {
	j := s.job
	if j.Own() {
		if len(j.Params) > 0 {
			return j.Errorf("params", "params cannot move to a Hadoop cluster with a program of your own")
		}
		s.file(j.App)
		s.roles("./"+filepath.Base(j.App)+" %s", false)
		return nil
	}
	p, err := apps.New(j.App, j.Params)
	if err != nil {
		return j.Errorf("app", "%v", err)
	}
	lines := p.Records.Length == 0 && !p.Raw && p.Output == nil && (p.Input == nil || p.Input.Cutting() == mapreduce.AtLines)
	if !lines || p.Partition != nil || p.Group != nil || p.TotalOrder {
		return j.Errorf("app", "%s cannot move to a Hadoop cluster: it needs more than lines that are sorted by key, which is all that Hadoop Streaming gives", j.App)
	}
	s.file(self + "#slackline")
	params := ""
	for _, k := range slices.Sorted(maps.Keys(j.Params)) {
		params += fmt.Sprintf(" --param %s", word(k+"="+j.Params[k]))
	}
	s.roles("./slackline stream %s "+strings.ReplaceAll(j.App, "%", "%%")+strings.ReplaceAll(params, "%", "%%"), p.NewCombiner != nil || p.Fold != nil)
	return nil
}

// word writes an argument such that Hadoop Streaming, which splits commands as shells do, keeps it whole.
func word(text string) string {
	if !strings.ContainsAny(text, " \t'\"\\") {
		return text
	}
	if !strings.Contains(text, "'") {
		return "'" + text + "'"
	}
	return `"` + text + `"`
}

func (s *streaming) roles(command string, combines bool) {
	s.own = append(s.own, "-mapper", fmt.Sprintf(command, mapreduce.MapRole))
	if s.job.Reduces == 0 {
		return
	}
	if combines {
		s.own = append(s.own, "-combiner", fmt.Sprintf(command, mapreduce.CombineRole))
	}
	s.own = append(s.own, "-reducer", fmt.Sprintf(command, mapreduce.ReduceRole))
}
