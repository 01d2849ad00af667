package sensor

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/slackline/slackline/internal/studies/scenario"
	"github.com/slackline/slackline/units"
)

// answerTime is how long a sensor or a ResourceManager may take.
const answerTime = 10 * time.Second

// A Sensor tells which part of the cluster there is, from 0 to 1.
type Sensor func(ctx context.Context) (part float64, err error)

// Trace plays a file whose column at counts from the first question. Before its first row there is all.
func Trace(path string, now func() time.Time) (Sensor, error) {
	rows, err := scenario.ReadSlots(path, 0)
	if err != nil {
		return nil, err
	}
	var began time.Time
	return func(context.Context) (float64, error) {
		if began.IsZero() {
			began = now()
		}
		at, part := units.Time(now().Sub(began)), 1.0
		for _, row := range rows {
			if row.At <= at {
				part = row.Amount
			}
		}
		return part, nil
	}, nil
}

// Command runs a line of shell, which prints the part.
func Command(line string) Sensor {
	return func(ctx context.Context) (float64, error) {
		ctx, cancel := context.WithTimeout(ctx, answerTime)
		defer cancel()
		out, err := exec.CommandContext(ctx, "sh", "-c", line).Output()
		switch {
		case ctx.Err() != nil:
			return 0, fmt.Errorf("the command %q has not ended within %v", line, answerTime)
		case err != nil:
			return 0, fmt.Errorf("the command %q failed: %w", line, err)
		}
		part, err := partOf(string(out))
		if err != nil {
			return 0, fmt.Errorf("the command %q prints %w", line, err)
		}
		return part, nil
	}
}

// Prometheus asks a server for the present value of a query, which must have one.
func Prometheus(base, query string) Sensor {
	return func(ctx context.Context) (float64, error) {
		list, err := values(ctx, base, query)
		switch {
		case err != nil:
			return 0, err
		case len(list) != 1:
			return 0, fmt.Errorf("the query %q has %d values, it must have one: sum or average them", query, len(list))
		}
		part, err := partOf(strconv.FormatFloat(list[0].x, 'g', -1, 64))
		if err != nil {
			return 0, fmt.Errorf("the query %q gives %w", query, err)
		}
		return part, nil
	}
}

// values asks a Prometheus for the present values of a query.
func values(ctx context.Context, base, query string) (readings []reading, err error) {
	var answer struct {
		Error string
		Data  struct {
			ResultType string
			Result     json.RawMessage
		}
	}
	status, err := ask(ctx, http.DefaultClient, http.MethodGet, strings.TrimRight(base, "/")+"/api/v1/query?query="+url.QueryEscape(query), nil, &answer)
	switch {
	case err != nil:
		return nil, err
	case status != http.StatusOK:
		return nil, fmt.Errorf("%s refuses the query %q: %s", base, query, answer.Error)
	}
	list := make([]struct {
		Metric map[string]string
		Value  [2]any // when, and what
	}, 1)
	if answer.Data.ResultType == "scalar" {
		err = json.Unmarshal(answer.Data.Result, &list[0].Value)
	} else {
		err = json.Unmarshal(answer.Data.Result, &list)
	}
	for _, one := range list {
		text, _ := one.Value[1].(string)
		x, bad := strconv.ParseFloat(text, 64)
		if err != nil || bad != nil {
			return nil, fmt.Errorf("the query %q has something else than numbers", query)
		}
		of := query
		if len(list) > 1 {
			of = fmt.Sprint(one.Metric) // sorted by label
		}
		readings = append(readings, reading{of: of, x: x})
	}
	return readings, nil
}

// Cgroup looks how much of this machine's processors a control group (version 2) may use.
func Cgroup(dir string) Sensor {
	file := filepath.Join(dir, "cpu.max")
	return func(context.Context) (float64, error) {
		text, err := os.ReadFile(file)
		if err != nil {
			return 0, fmt.Errorf("%s cannot be read; is %s a control group of version 2 with the controller cpu?", file, dir)
		}
		if strings.HasPrefix(string(text), "max ") {
			return 1, nil
		}
		var quota, period float64
		if _, err := fmt.Sscan(string(text), &quota, &period); err == nil && quota >= 0 && period > 0 {
			return min(1, quota/period/float64(runtime.NumCPU())), nil
		}
		return 0, fmt.Errorf("%s has %q, which is no quota and period", file, strings.TrimSpace(string(text)))
	}
}

// partOf reads a part. The error continues a sentence.
func partOf(text string) (float64, error) {
	text = strings.TrimSpace(text)
	part, err := strconv.ParseFloat(text, 64)
	if err != nil || !(part >= 0 && part <= 1) || math.Signbit(part) {
		return 0, fmt.Errorf("%q, it must be a number from 0 to 1, the part of the cluster that there is", text)
	}
	return part, nil
}

// ask sends a request and reads the JSON of the answer, which may be none where the status is an error.
func ask(ctx context.Context, client *http.Client, method, at string, body io.Reader, to any) (status int, err error) {
	ctx, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, method, at, body)
	if err != nil {
		return 0, err
	}
	request.Header.Set("Accept", "application/json")
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	answer, err := client.Do(request)
	if err != nil {
		return 0, err
	}
	defer answer.Body.Close()
	if err := json.NewDecoder(io.LimitReader(answer.Body, 64<<20)).Decode(to); err != nil && answer.StatusCode == http.StatusOK {
		return 0, fmt.Errorf("%s answers with something else than JSON: %w", at, err)
	}
	return answer.StatusCode, nil
}
