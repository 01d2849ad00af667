package trace

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// endings are ways in which a job of a format may have ended, and whether it is played: the text of the n-th job.
var endings = map[string][]struct {
	played bool
	text   func(n int) string
}{
	"jhist": {
		{true, func(n int) string { return history(fmt.Sprintf("%d_0001", n), n) }},
		{false, jhistEnd("FAILED")}, {false, jhistEnd("KILLED")}, {false, jhistEnd("ERROR")},
	},
	"alibaba": {
		{true, alibabaEnd("Terminated", "200")}, {true, alibabaEnd("Terminated", "1")}, {true, alibabaEnd("Running", "")},
		{false, alibabaEnd("Failed", "200")}, {false, alibabaEnd("Cancelled", "")},
		{false, func(n int) string { return fmt.Sprintf("M1,1,j%d,1,Waiting,,,100,1\n", n) }},
	},
}

func jhistEnd(status string) func(int) string {
	return func(n int) string {
		whole := history(fmt.Sprintf("%d_0001", n), n)
		return whole[:strings.LastIndex(strings.TrimSpace(whole), "\n")+1] +
			event("JobUnsuccessfulCompletion", fmt.Sprintf(`"jobid": "job_%d_0001", "jobStatus": %q`, n, status))
	}
}

func alibabaEnd(status, end string) func(int) string {
	return func(n int) string {
		return fmt.Sprintf("M1,1,j%d,1,Terminated,%d,%d,100,1\nR2_1,1,j%d,1,%s,%d,%s,100,1\n", n, 100+n, 150+n, n, status, 160+n, end)
	}
}

// Jobs played and records left out are all that a file has, whatever became of each; nothing that did
// not run is played.
func TestEveryRecordIsPlayedOrCounted(t *testing.T) {
	for format, all := range endings {
		rapid.Check(t, func(rt *rapid.T) {
			text, played := all[0].text(1), 1
			n := rapid.IntRange(0, 20).Draw(rt, "jobs")
			for i := range n {
				end := all[rapid.IntRange(0, len(all)-1).Draw(rt, "end")]
				if text += end.text(i + 2); end.played {
					played++
				}
			}
			jobs, r, err := readAll(t, format, text, rapid.Bool().Draw(rt, "lenient"))
			if a := r.Account(); err != nil || len(jobs) != played || a.Left() != n+1-played {
				rt.Fatalf("%s: %d jobs and %v, want %d of %d (%v):\n%s", format, len(jobs), a.LeftOut, played, n+1, err, text)
			}
		})
	}
}

// What a record says by a word or number that is none is left out or counted, at each reader alike.
func TestOddWordsAreCounted(t *testing.T) {
	jhist := func(submit, launch, status string) string {
		event := func(name, fields string) string {
			return `{"event":{"org.apache.hadoop.mapreduce.jobhistory.` + name + `":{"jobid":"job_1_0001",` + fields + "}}}\n"
		}
		return jhistHead + event("JobSubmitted", `"submitTime":`+submit) + event("JobInited", `"launchTime":`+launch+`,"totalMaps":1,"totalReduces":0`) +
			event("TaskAttemptStarted", `"taskid":"task_1_0001_m_000000","attemptId":"a","startTime":1700000001000`) +
			event("MapAttemptFinished", `"taskid":"task_1_0001_m_000000","attemptId":"a","taskStatus":`+status+`,"finishTime":1700000002000`) +
			event("JobFinished", `"finishTime":1700000002000`)
	}
	for _, c := range []struct{ format, text, want string }{
		{"swim", "a\t9\t9\t-1\tNULL\t\nb\tNA\t9\t1\t1\t1\n", "no-submit-time 1; tasks-unlisted 1, input-unknown 1, shuffle-unknown 1"},
		{"jhist", jhist("0", "1700000000000", `"SUCCEEDED"`), "; submit-by-start 1, input-unknown 1"},
		{"jhist", jhist("null", "1700000000000", `"SUCCESS"`), "; submit-by-start 1, input-unknown 1"},
		{"jhist", jhist("-1", "0", `"SUCCEEDED"`) + strings.ReplaceAll(jhist("1700000000000", "0", `"SUCCEEDED"`), "_0001", "_0002"), "no-submit-time 1; input-unknown 1"},
		{"alibaba", "M1,0,j,1,Terminated,5,6,100,1\nM2,,j,1,Terminated,5,6,100,1\n", "; instances-unknown 2, input-unknown 1"},
		{"alibaba", "R2_1,1,j,1,Terminated,5,6,100,1\n", "; after-task-unknown 1, input-unknown 1"},
	} {
		if _, r, err := readAll(t, c.format, c.text, false); err != nil {
			t.Errorf("%s: %v in:\n%s", c.format, err, c.text)
		} else {
			accounted(t, r, c.want)
		}
	}
	for _, c := range []struct{ format, text, want string }{
		{"jhist", jhist("1700000000", "0", `"SUCCESS"`), "submitTime: 1700000000 ms since 1970 are in 1970; if they are seconds, of 2023"},
		{"jhist", jhist("1700000000000", "0", `"foo"`), `taskStatus: "foo" is not SUCCESS, FAILED or KILLED`},
		{"alibaba", "i,M1,j,1,Terminated,5,6,m,1,1,1,1,1,1\n", "it looks like a row of Alibaba's batch_instance, of 14 fields; read batch_task"},
		{"slackline", "{\"slackline_trace\":1}\n" + `{"id":"a","submit":1,"deadline":0}`, "deadline: it is 0"},
		{"slackline", "{\"slackline_trace\":1}\n" + `{"id":"a","submit":1,"stages":[{"kind":"map","needs":{"vcores":0},"tasks":[{}]}]}`, "needs.vcores: it is 0"},
	} {
		if _, _, err := readAll(t, c.format, c.text, false); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q of:\n%s", c.format, err, c.want, c.text)
		}
	}
}
