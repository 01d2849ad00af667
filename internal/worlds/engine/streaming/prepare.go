package streaming

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/slackline/slackline/mapreduce"
)

// CommandLine is a command as people write it, and the key that it stands under in the job file:
// map, combine or reduce, or another for the mapper of an input with a name.
type CommandLine struct{ Key, Text, Input string }

// KeyError is an error in what a job file says, and the key that it stands under.
type KeyError struct {
	Key string
	Err error
}

// Error is the error as one sentence.
func (e *KeyError) Error() string { return e.Err.Error() }

func wrong(key, format string, args ...any) error { return &KeyError{key, fmt.Errorf(format, args...)} }

// Prepare takes the commands and side files of a job from what people write, and checks them beside
// its settings. Side files that are made later need not be there yet. It returns the words of commands
// that name a file in one of the folders and no side file: the command runs in a folder of its own, and
// will not find them there. An error is a KeyError.
func (j *Job) Prepare(lines []CommandLine, files []string, later func(path string) bool, folders ...string) (unlisted []string, err error) {
	for _, name := range slices.Sorted(maps.Keys(j.Env)) {
		if name == "" || strings.ContainsAny(name, "=\x00") || strings.ContainsRune(j.Env[name], 0) {
			return nil, wrong("env", "env: %q cannot be a variable of the environment: "+
				"names must not be empty or contain =, and there must be no zero byte", name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(j.Conf)) {
		if err := free("conf", name, Name(name)); err != nil {
			return nil, err
		}
		if err := effect(name, Name(name)); err != nil {
			return nil, err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(j.Env)) {
		if err := free("env", name, name); err != nil {
			return nil, err
		}
	}
	for i, text := range files {
		key := fmt.Sprintf("files[%d]", i)
		file, err := sideFile(text, later)
		if err != nil {
			return nil, wrong(key, "files: %w", err)
		}
		if k := slices.IndexFunc(j.Files, func(f File) bool { return f.Name == file.Name }); k >= 0 {
			return nil, wrong(key, "files: %q and %q would both be %q in the working directory; "+
				"rename one of them, as in PATH#NAME", files[k], text, file.Name)
		}
		j.Files = append(j.Files, file)
	}
	var all [][]string
	for _, line := range lines {
		words, err := Command(line.Text)
		if err == nil {
			_, err = Find(words[0], j.Files)
		}
		if err != nil {
			return nil, wrong(line.Key, "%s: %w", line.Key, err)
		}
		all = append(all, words)
		switch line.Key {
		case "map":
			j.Map = words
		case "map.gpu":
			j.MapGPU = words
		case "combine":
			j.Combine = words
		case "reduce":
			j.Reduce = words
		default:
			if j.MapOf == nil {
				j.MapOf = make(map[string][]string)
			}
			j.MapOf[line.Input] = words
		}
	}
	for _, words := range all {
		unlisted = append(unlisted, notSideFiles(words, j.Files, folders)...)
	}
	return unlisted, nil
}

// given are names in the environment of commands, and the keys of the job file that Slackline sets
// them from; "" where it sets them from what an attempt is. conf and env may not set them: a
// command would be told what is not so.
var given = map[string]string{
	"mapreduce_job_reduces":                       "reduces",
	"mapreduce_job_name":                          "name",
	"mapreduce_job_user_name":                     "user",
	"mapreduce_input_fileinputformat_inputdir":    "input",
	"mapreduce_output_fileoutputformat_outputdir": "output",
	"stream_num_map_output_key_fields":            "key_fields",
	"mapreduce_partition_keypartitioner_options":  "partition_fields",
	"stream_map_streamprocessor":                  "map",
	"stream_combine_streamprocessor":              "combine",
	"stream_reduce_streamprocessor":               "reduce",

	"mapreduce_job_id": "", "mapred_job_id": "", "mapreduce_job_maps": "", "mapreduce_job_working_dir": "",
	"stream_map_output_field_separator": "", "stream_reduce_input_field_separator": "",
	"mapreduce_task_id": "", "mapred_tip_id": "", "mapreduce_task_attempt_id": "", "mapred_task_id": "",
	"mapreduce_task_partition": "", "mapred_task_partition": "", "mapreduce_task_ismap": "", "mapred_task_is_map": "",
	"mapreduce_task_output_dir": "", "mapred_work_output_dir": "",
	"mapreduce_map_input_file": "", "mapreduce_map_input_start": "", "mapreduce_map_input_length": "",
	Name(mapreduce.InputNameKey): "",
}

// free refuses a name that stands under a key, if Slackline sets what it is in the environment.
func free(key, name, variable string) error {
	switch from, ours := given[variable]; {
	case !ours:
		return nil
	case from != "":
		return wrong(key+"."+name, "%s and %s contradict each other: commands get %s from %s; "+
			"leave it out of %s", key, from, name, from, key)
	}
	return wrong(key+"."+name, "%s: Slackline sets %s for each command; "+
		"leave it out of %s", key, name, key)
}
