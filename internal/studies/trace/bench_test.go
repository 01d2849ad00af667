package trace

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// BenchmarkRead reads 2,000 jobs of 20 maps and a reduce, in every form that lists tasks, and as
// many lines in those that do not. go test -bench Read ./internal/studies/trace
func BenchmarkRead(b *testing.B) {
	const jobs = 2000
	texts := map[string]string{}
	var swim, jhist, alibaba strings.Builder
	var neutral []Job
	for i := range jobs {
		fmt.Fprintf(&swim, "job%d\t%d\t1\t268435456\t1000000\t1000\n", i, i)
		j := Job{ID: fmt.Sprint("j", i), Queue: "q", User: "u", Submit: units.Time(i) * units.Time(units.Second), Input: units.GB, Stages: []Stage{{Kind: workload.Map}}}
		fmt.Fprint(&jhist, jhistHead, event("JobSubmitted", fmt.Sprintf(`"jobid": "job_1_%d", "submitTime": %d`, i, 1795219000000+1000*i)), event("JobInited", fmt.Sprintf(`"jobid": "job_1_%d", "totalMaps": 20`, i)))
		for t := range 20 {
			j.Stages[0].Add(Task{Count: 1, Input: 1 << 20, Time: units.Duration(1+t) * units.Second, Hosts: []string{"n1", "n2", "n3"}})
			task := fmt.Sprintf(`"taskid": "task_1_%d_m_%06d", "attemptId": "attempt_1_%d_m_%06d_0"`, i, t, i, t)
			counters := `"counters": {"name": "COUNTERS", "groups": [{"name": "org.apache.hadoop.mapreduce.TaskCounter", "displayName": "Map-Reduce Framework", "counts": [` +
				strings.Repeat(`{"name": "MAP_INPUT_RECORDS", "displayName": "Map input records", "value": 628368}, `, 30) + `{"name": "BYTES_READ", "displayName": "Bytes Read", "value": 2097204}]}]}`
			fmt.Fprint(&jhist, event("TaskAttemptStarted", task+fmt.Sprintf(`, "startTime": %d`, 1795219341794)),
				event("MapAttemptFinished", task+fmt.Sprintf(`, "taskStatus": "SUCCEEDED", "finishTime": %d, `, 1795219341794+1000*(t+1))+counters))
		}
		fmt.Fprint(&jhist, event("JobFinished", fmt.Sprintf(`"jobid": "job_1_%d"`, i)))
		fmt.Fprintf(&alibaba, "M1,20,j_%d,1,Terminated,%d,%d,100.0,0.39\nR2_1,5,j_%d,1,Terminated,%d,%d,50.0,0.2\n", i, i+1, i+60, i, i+61, i+90)
		neutral = append(neutral, j)
	}
	texts["swim"], texts["jhist"], texts["alibaba"] = swim.String(), jhist.String(), alibaba.String()
	texts["slackline"] = write(b, neutral)
	for _, f := range Formats() {
		b.Run(f.Name, func(b *testing.B) {
			text := []byte(texts[f.Name])
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for range b.N {
				r := f.Open(bytes.NewReader(text), Options{File: "t"})
				n := 0
				for {
					if _, err := r.Next(); errors.Is(err, io.EOF) {
						break
					} else if err != nil {
						b.Fatal(err)
					}
					n++
				}
				if n != jobs {
					b.Fatalf("%d jobs", n)
				}
			}
		})
	}
}
