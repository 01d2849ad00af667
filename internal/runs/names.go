package runs

import (
	"maps"
	"slices"

	"github.com/slackline/slackline/internal/studies/scenario"
	"github.com/slackline/slackline/internal/worlds/engine/streaming"
	"github.com/slackline/slackline/mapreduce"
)

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
	streaming.Name(mapreduce.InputNameKey): "",
}

// checkNames refuses what conf and env set though Slackline does.
func checkNames(f *scenario.Job) error {
	for _, name := range slices.Sorted(maps.Keys(f.Conf)) {
		if err := checkName(f, "conf", name, streaming.Name(name)); err != nil {
			return err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(f.Env)) {
		if err := checkName(f, "env", name, name); err != nil {
			return err
		}
	}
	return nil
}

// checkName refuses a name that stands under a key, if Slackline sets what it is in the
// environment.
func checkName(f *scenario.Job, key, name, variable string) error {
	switch from, ours := given[variable]; {
	case !ours:
		return nil
	case from != "":
		return f.Errorf(key+"."+name, "%s and %s contradict each other: commands are told %s from %s; leave it out of %s", key, from, name, from, key)
	}
	return f.Errorf(key+"."+name, "%s: %s is what Slackline tells each command of its own task; leave it out of %s", key, name, key)
}
