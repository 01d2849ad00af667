package trace

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

const alibabaSample = `M1,40,j_1,1,Terminated,100,160,100.0,0.39
R2_1,5,j_1,1,Terminated,161,200,50,0.39
M3,2,j_1,1,Running,90,,150,0.39
J4_2_3_Stg6,1,j_1,1,Terminated,201,205,100,0.2
R5_4,1,j_1,1,Terminated,206,207,,
R6_5,3,j_1,1,Terminated,208,209,100,
R7_6,4,j_1,1,Terminated,210,212,100,
task_Nzg3,1.0,j_2,3,Running,300,,100,0.5
MergeTask,,j_2,3,Terminated,301,302,100,0.5
`

func TestAlibaba(t *testing.T) {
	all, _, err := readAll(t, "alibaba", alibabaSample, false)
	if err != nil {
		t.Fatal(err)
	}
	run := func(n int, s int64) Task {
		return Task{Count: n, Input: Unknown, Time: units.Duration(s) * units.Second}
	}
	unknown := func(n int) Task { return Task{Count: n, Input: Unknown, Time: UnknownTime} }
	cores := func(n int64) units.Vector { return units.Vector{units.VCores: n} }
	want := []Job{
		{ID: "j_1", Submit: units.Time(90 * units.Second), Input: Unknown, Shuffle: Unknown, Output: Unknown, Stages: []Stage{
			{Kind: workload.Map, Needs: cores(2), Tasks: []Task{run(40, 60), unknown(2)}},
			{Kind: workload.Reduce, Needs: cores(1), Tasks: []Task{run(5, 39)}},
			{Kind: workload.Other0, Needs: cores(1), Tasks: []Task{run(1, 4)}},
			{Kind: workload.Other1, Tasks: []Task{run(1, 1)}},
			{Kind: workload.Other2, Needs: cores(1), Tasks: []Task{run(3, 1), run(4, 2)}},
		}},
		{ID: "j_2", Submit: units.Time(300 * units.Second), Input: Unknown, Shuffle: Unknown, Output: Unknown, Stages: []Stage{
			{Kind: workload.Map, Needs: cores(1), Tasks: []Task{unknown(1), run(1, 1)}},
		}},
	}
	if d := cmp.Diff(want, all); d != "" {
		t.Fatal(d)
	}
	head := "task_name,instance_num,job_name,task_type,status,start_time,end_time,plan_cpu,plan_mem\n"
	if headed, _, err := readAll(t, "alibaba", head+alibabaSample, false); err != nil || cmp.Diff(want, headed) != "" {
		t.Errorf("with a heading: %v, %v", headed, err)
	}
}

func TestAlibabaBad(t *testing.T) {
	badInputs(t, "alibaba", "M1,1,z,1,Terminated,5,6,100,1\n", "\nM1,1,y,1,Terminated,50,60,100,1\n", "z y", map[string]string{
		"M1,1,a,1,Terminated,6,7,100":                                          `t:2: it has 8 fields separated by commas, a task has 9`,
		"1,2,3,4,5,Terminated,,":                                               `t:2: it looks like a task of Alibaba's trace of 2017, whose rows begin with two times; that of 2018 can be read`,
		"M1,1,a,1,Terminated,6,7,100,1,1":                                      `t:2: it has 10 fields separated by commas, a task has 9`,
		"M1,1,,1,Terminated,6,7,100,1":                                         `t:2: job_name: it is empty`,
		"M1,1,\xff,1,Terminated,6,7,100,1":                                     `t:2: job_name: "\xff" is not UTF-8`,
		",1,a,1,Terminated,6,7,100,1":                                          `t:2: task_name: it is empty`,
		"M1_-3,1,a,1,Terminated,6,7,100,1":                                     `t:2: task_name: "M1_-3" waits for a task -3`,
		"M1,-1,a,1,Terminated,6,7,100,1":                                       `t:2: instance_num: -1 is negative`,
		"M1,99999999,a,1,Terminated,6,7,100,1":                                 `t:2: instance_num: 99999999 are more than 10000000`,
		"M1,x,a,1,Terminated,6,7,100,1":                                        `t:2: instance_num: "x" is not a number`,
		"M1,1,a,1,Terminated,1e12,7,100,1":                                     `t:2: start_time: 1000000000000 is more than 1000000000`,
		"M1,1,a,1,Unknown,6,7,100,1":                                           `t:2: status: "Unknown" is not Ready, Waiting, Running, Terminated, Failed, Cancelled, Interrupted`,
		"M1,1,a,1,Terminatd,6,7,100,1":                                         `t:2: status: "Terminatd" is not Ready, Waiting, Running, Terminated, Failed, Cancelled, Interrupted; did you mean "Terminated"?`,
		"M1,1,a,1,,6,7,100,1":                                                  `t:2: status: "" is not Ready, Waiting, Running, Terminated, Failed, Cancelled, Interrupted`,
		"M1,1,a,1,Terminated,4,7,100,1":                                        `t:2: start_time: 4s is before the 5s of the job before; slackline workload import --sort puts a trace in order`,
		"M1_1,1,a,1,Terminated,6,7,100,1":                                      `t:2: task_name: task 1 of job "a" waits for itself`,
		"M1_2,1,a,1,Terminated,6,7,9,1\nM2_1,1,a,1,Terminated,6,7,9,1":         `t:2: task_name: task 1 of job "a" waits for itself`,
		"M1,1,a,1,Terminated,6,7,9,1\nR1,1,a,1,Terminated,6,7,9,1":             `t:2: task_name: job "a" has two tasks of number 1`,
		"M1,9000000,a,1,Terminated,6,7,9,1\nM2,9000000,a,1,Terminated,6,7,9,1": `t:2: job "a" has more than 10000000 tasks`,
	})
	// A job whose rows do not stand together.
	badInputs(t, "alibaba", "M1,1,z,1,Terminated,5,6,9,1\nM1,1,y,1,Terminated,5,6,9,1\n", "", "z y", map[string]string{
		"M2,1,z,1,Terminated,6,7,9,1\n": `t:3: job "z" was already listed`,
	})
}

// Jobs of which a task failed or was cancelled, and those that never began, are left out, whoever names them; a clock
// that went back costs a time and no job.
func TestAlibabaLeavesOut(t *testing.T) {
	all, r, err := readAll(t, "alibaba", `M1,4,bad,1,Terminated,100,160,100,1
R2_1,5,bad,1,Failed,161,200,50,1
M1,4,gone,1,Cancelled,110,160,100,1
M1,4,idle,1,Waiting,,,100,1
M1,2,stopped,1,Interrupted,115,116,100,1
M1,2,part,1,Terminated,117,118,100,1
R2_1,2,part,1,Ready,117,118,100,1
M1,2,back,1,Terminated,120,119,100,1
M1,2,good,1,Terminated,130,131,100,1
`, false)
	if err != nil || len(all) != 2 || all[0].ID != "back" || all[0].Stages[0].Tasks[0].Time != UnknownTime || all[1].ID != "good" {
		t.Fatalf("%+v, %v", all, err)
	}
	accounted(t, r, "failed 1, killed 2, never-ran 1, not-ended 1; clock-back 2, time-unknown 2, input-unknown 2")
	if why := r.Account().FilledIn[0].Why; strings.Contains(why, "100 ms") {
		t.Errorf("it says %q, and writes no time", why)
	}
}

func FuzzAlibaba(f *testing.F) {
	f.Add(alibabaSample, false)
	f.Add("M1,1,z,1,Terminated,5,6,9,1\nM1_2_x_\n", true)
	f.Fuzz(func(t *testing.T, text string, lenient bool) { checkReader(t, "alibaba", text, lenient) })
}
