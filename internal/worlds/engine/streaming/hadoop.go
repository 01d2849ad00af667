package streaming

import "strings"

// idle are names of Hadoop's configuration, old and new, that have no effect in a job file, as they
// stand in the environment, and what has: a key to write, or what stands in its place.
var idle = map[string]string{
	"mapred_reduce_tasks": "write reduces",
	"mapred_map_tasks":    "the number of maps follows from --block", "mapred_min_split_size": "write --block", "mapred_max_split_size": "write --block",
	"mapreduce_input_fileinputformat_split_minsize": "write --block", "mapreduce_input_fileinputformat_split_maxsize": "write --block",
	"mapred_job_name": "write name", "user_name": "write user", "mapred_input_dir": "write input", "mapred_output_dir": "write output",
	"mapreduce_job_queuename": "write queue", "mapred_job_queue_name": "write queue",
	"mapreduce_job_priority": "write priority", "mapred_job_priority": "write priority",
	"mapred_job_deadline": "write deadline", "mapreduce_job_deadline": "write deadline",
	"mapreduce_task_timeout": "write timeout", "mapred_task_timeout": "write timeout",
	"mapreduce_output_fileoutputformat_compress": "write compress", "mapred_output_compress": "write compress",
	"mapreduce_output_fileoutputformat_compress_codec": "write compress", "mapred_output_compression_codec": "write compress",
	"mapreduce_output_fileoutputformat_compress_type": "write compress", "mapred_output_compression_type": "write compress",
	"mapreduce_map_memory_mb": "write limits: {memory: ...}", "mapreduce_reduce_memory_mb": "write limits: {memory: ...}",
	"mapred_job_map_memory_mb": "write limits: {memory: ...}", "mapred_job_reduce_memory_mb": "write limits: {memory: ...}",
	"mapreduce_job_reduce_slowstart_completedmaps": "write slow_start", "mapred_reduce_slowstart_completed_maps": "write slow_start",
	"mapreduce_map_skip_maxrecords": "write skip_bad_records", "mapred_skip_map_max_skip_records": "write skip_bad_records",
	"num_key_fields_for_partition": "write partition_fields", "mapred_text_key_partitioner_options": "write partition_fields",
	"mapreduce_map_maxattempts": "a task is tried four times", "mapreduce_reduce_maxattempts": "a task is tried four times",
	"mapred_map_max_attempts": "a task is tried four times", "mapred_reduce_max_attempts": "a task is tried four times",
	"textinputformat_record_delimiter": "lines end at LF, CR LF or CR",
	"mapreduce_task_io_sort_mb":        "write --memory", "io_sort_mb": "write --memory",
	"map_sort_class": "keys are sorted by their bytes", "key_value_separator_in_input_line": "write input_format",
	"map_output_key_field_separator":   "write partition_fields, which are separated by tabs",
	"map_output_key_value_fields_spec": "", "reduce_output_key_value_fields_spec": "",
	"fs_defaultFS": "paths are those of this machine", "fs_default_name": "paths are those of this machine",
	"tmpfiles": "write files", "tmpjars": "write files", "tmparchives": "write files",
	"io_compression_codecs": "what is packed is told by its first bytes", "io_file_buffer_size": "", "io_serializations": "",
	"keep_failed_task_files": "", "keep_task_files_pattern": "", "local_cache_size": "",
	"num_map_tasks": "the number of maps follows from --block", "num_reduce_tasks": "write reduces",
	"mapreduce_map_speculative": "write --policy", "mapreduce_reduce_speculative": "write --policy",
	"mapreduce_job_inputformat_class": "write input_format", "mapred_input_format_class": "write input_format",
	"mapreduce_job_outputformat_class": "write output_format", "mapred_output_format_class": "write output_format",
}

// obeyed are names of Hadoop's that have an effect, beside those that Slackline sets itself.
var obeyed = map[string]bool{"stream_non_zero_exit_is_failure": true}

// effect refuses a name under conf that Hadoop would heed and Slackline does not: what is Hadoop's is
// told by how it begins. Other names are the user's own, and go to commands.
func effect(name, variable string) error {
	instead, known := idle[variable]
	if !known && !obeyed[variable] {
		for _, begin := range []string{"mapreduce_", "mapred_", "stream_", "yarn_", "textinputformat_", "dfs_", "fs_", "hadoop_", "ipc_", "io_sort_",
			"io_compression_", "io_seqfile_", "job_end_", "jobclient_"} {
			known = known || strings.HasPrefix(variable, begin)
		}
	}
	switch {
	case !known:
		return nil
	case instead == "":
		return wrong("conf."+name, "conf: %s has no effect here; leave it out, or write %s under env if a command reads it", name, variable)
	}
	return wrong("conf."+name, "conf: %s has no effect here; leave it out: %s", name, instead)
}
