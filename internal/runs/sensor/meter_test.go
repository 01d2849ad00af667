package sensor

import (
	"context"
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// Counters that begin again are counted on; what stands still, jumps or is gone is not believed, and it is said why.
func TestCounters(t *testing.T) {
	for _, c := range []struct {
		name      string
		then, end int64 // after 1000 µJ; -1 = the file is gone
		want      float64
		bad       string
	}{
		{"counts", 5_000_000, 9_000_000, 8.999, ""},
		{"begins again", 9_999_000, 500_000, 10.499, ""},
		{"steps back a little", 5_000_000, 4_900_000, 4.899, ""},
		{"steps back, though to a quarter of where it was", 4_000_000, 1_000_000, 0.999, ""},
		{"steps back from beyond its range", 25_000_000, 1000, 0, "the counter of package-0 jumped from 25 to 0.001 J"},
		{"steps back by half", 6_001_000, 1_001_000, 6 + 5, ""},
		{"stands still", 1000, 1000, 0, "the counter of package-0 stood still"},
		{"jumps", 1000, 9_000_000_000_000, 0, "the counter of package-0 jumped from 0.001 to 9e+06 J"},
		{"jumps back, below what it can", 1000, -20_000_000, 0, "package-0 told -20"},
		{"goes", 2000, -1, 0, "the counter of package-0 could not be read any more"},
	} {
		root := t.TempDir()
		dir := filepath.Join(root, "intel-rapl:0")
		write := func(name, text string) {
			if err := os.MkdirAll(dir, 0o777); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text+"\n"), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		write("name", "package-0")
		write("max_energy_range_uj", "10000000")
		write("energy_uj", "1000")
		m := RAPL(root)
		write("energy_uj", strconv.FormatInt(c.then, 10))
		m.Look(t.Context())
		if write("energy_uj", strconv.FormatInt(c.end, 10)); c.end == -1 {
			os.Remove(filepath.Join(dir, "energy_uj"))
		}
		joules, err := m.End(t.Context())
		if c.name == "steps back a little" && m.Detail != "package-0; the counter of package-0 told 5 J between 0.001 and 4.9 J, which does not count" {
			t.Errorf("it says %q", m.Detail)
		}
		if (err == nil) != (c.bad == "") || err != nil && err.Error() != c.bad || err == nil && math.Abs(joules-c.want) > 1e-9 {
			t.Errorf("%s: %v J, %v; want %v, %q", c.name, joules, err, c.want, c.bad)
		}
	}
}

// A file of power or of counters is integrated over the run, node by node, whatever lies outside of it; the oracle
// counts by hand. What is wrong is told with line and column.
func TestMeterFiles(t *testing.T) {
	zero := time.Unix(1_800_000_000, 0).UTC()
	at := func(s float64) string { return strconv.FormatFloat(float64(zero.Unix())+s, 'f', -1, 64) }
	for _, c := range []struct {
		name, text string // T+SECONDS stands for a time; the run is from 10 to 20 s
		want       float64
		bad        string
	}{
		{"a constant", "time,watts\nT+0,50\nT+30,50\n", 500, ""},
		{"a ramp", "time,watts\nT+10,0\nT+20,100\n", 500, ""},
		{"a ramp that began before", "time,watts\nT+0,0\nT+20,200\n", 1000, ""}, // 100 W, for half of its time
		{"more behind the end", "time,watts\nT+0,10\nT+20,10\nT+30,90\n", 100, ""},
		{"a counter", "time,joules\nT+5,100\nT+15,300\nT+25,500\n", 200, ""},
		{"a counter that begins again", "time,joules\nT+10,900\nT+15,50\nT+20,100\n", 100, ""},
		{"a counter that steps back, and counts on", "time,joules\nT+10,900\nT+12,950\nT+15,940\nT+20,1000\n", 100, ""},
		{"one that was too high once", "time,joules\nT+10,900\nT+12,990\nT+15,940\nT+20,1000\n", 100, ""},
		{"one that told 0 once", "time,joules\nT+10,1000\nT+12,1010\nT+15,0\nT+20,1045\n", 45, ""},
		{"one that told 0 at the end", "time,joules\nT+10,1000\nT+15,1030\nT+20,0\n", 30, ""},
		{"one that told far too much once", "time,joules\nT+10,10\nT+12,340\nT+15,25\nT+20,55\n", 45, ""},
		{"two that told far too much", "time,joules\nT+10,10\nT+12,340\nT+13,345\nT+15,25\nT+20,55\n", 45, ""},
		{"two that told 0", "time,joules\nT+10,1000\nT+12,0\nT+13,0\nT+15,1015\nT+20,1045\n", 45, ""},
		{"one that told 0 first", "time,joules\nT+10,0\nT+11,711\nT+15,727\nT+20,747\n", 40, ""},
		{"two that were too low", "time,joules\nT+10,900\nT+12,890\nT+15,880\nT+20,1000\n", 100, ""},
		{"one that draws all it may", "time,joules\nT+10,0\nT+20,220000\n", 220000, ""},
		{"and more", "time,joules\nT+10,0\nT+20,220001\n", 0, "the counter of m.csv jumped from 0 to 220001 J"},
		{"the most that a machine draws", "time,watts\nT+0,20000\nT+30,20000\n", 200000, ""},
		{"a watt more", "time,watts\nT+0,20001\nT+30,20001\n", 0, "m.csv told 20001"},
		{"two nodes, columns in another order", "node,watts,time\na,10,T+0\nb,5,T+0\na,10,T+30\nb,5,T+30\n", 150, ""},
		{"its last line is being written", "time,joules\nT+5,100\nT+15,300\nT+25,500\nT+26,5", 200, ""},
		{"times with a zone", "time,watts\n" + zero.Format(time.RFC3339) + ",7\n" + zero.Add(time.Minute).Format(time.RFC3339) + ",7\n", 70, ""},
		{"it ends a little early", "time,watts\nT+10,40\nT+18,40\n", 400, ""},
		{"it stops", "time,watts\nT+0,40\nT+13,40\n", 0, "m.csv tells of 3 s of the run, which took 10 s"},
		{"it stood still", "time,joules\nT+0,40\nT+30,40\n", 0, "the counter of m.csv stood still"},
		{"it jumps", "time,joules\nT+0,40\nT+30,4e9\n", 0, "jumped from 40 to 4e+09 J"},
		{"too much", "time,watts\nT+0,40\nT+30,4e9\n", 0, "m.csv told 4e+09"},
		{"no row", "time,watts\n", 0, "m.csv tells 0 values, 1 are wanted"},
		{"garbage", "time,watts\nT+0,ERR\n", 0, "\"ERR\" is not a number"},
		{"a gap", "time,watts\nT+0,\n", 0, "watts is \"\", it must be a number from 0"},
		{"below 0", "time,watts\nT+0,-4\n", 0, "watts is \"-4\", it must be a number from 0"},
		{"back in time", "time,watts\nT+10,4\nT+5,4\n", 0, "is not after the row before"},
		{"no time", "time,watts\nnoon,4\n", 0, "m.csv:2:1: \"noon\" is no time"},
		{"other columns", "at,kW\n1,2\n", 0, "m.csv:1:1: its columns are at, kW; there must be time"},
		{"nothing", "", 0, "it is empty"},
	} {
		for s := 30; s >= 0; s-- {
			c.text = strings.ReplaceAll(c.text, fmt.Sprintf("T+%d,", s), at(float64(s))+",")
			c.text = strings.ReplaceAll(c.text, fmt.Sprintf("T+%d\n", s), at(float64(s))+"\n")
		}
		t.Chdir(t.TempDir())
		if err := os.WriteFile("m.csv", []byte(c.text), 0o666); err != nil {
			t.Fatal(err)
		}
		m := &Meter{Detail: "m.csv", late: true, began: zero.Add(10 * time.Second), ended: zero.Add(20 * time.Second)}
		m.read = m.file
		joules, err := m.End(t.Context())
		if err == nil != (c.bad == "") || err != nil && !strings.Contains(err.Error(), c.bad) || err == nil && math.Abs(joules-c.want) > 1e-6 {
			t.Errorf("%s: %v J, %v; want %v, %q", c.name, joules, err, c.want, c.bad)
		}
	}
}

// Of a Prometheus each series is read for itself; when one goes, stops, or says garbage, the
// meter is not believed.
func TestMeterURLs(t *testing.T) {
	looks := 0
	var series func(look int) map[string]string // by node
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		all := series(looks)
		var list []string
		for node, x := range all {
			list = append(list, fmt.Sprintf(`{"metric":{"node":%q},"value":[1700000000.1,%q]}`, node, x))
		}
		fmt.Fprintf(w, `{"status":"success","data":{"resultType":"vector","result":[%s]}}`, strings.Join(list, ","))
	}))
	defer server.Close()
	both := func(a, b string) map[string]string { return map[string]string{"a": a, "b": b} }
	for _, c := range []struct {
		name string
		told []map[string]string
		want float64
		bad  string
	}{
		{"counts", []map[string]string{both("100", "7"), both("105", "7.5"), both("111", "8")}, 12, ""},
		{"one begins again", []map[string]string{both("100", "7"), both("2", "8"), both("5", "9")}, 7, ""},
		{"one goes", []map[string]string{both("100", "7"), {"a": "105"}, both("111", "8")}, 0, "tells 1 values, 2 are wanted"},
		{"one jumps", []map[string]string{both("100", "7"), both("9e9", "8"), both("9e9", "8")}, 0, "jumped from 100 to 9e+09 J"},
		{"one jumps, and back", []map[string]string{both("100", "7"), both("9e9", "8"), both("111", "8")}, 12, ""},
		{"one stands still", []map[string]string{both("100", "7"), both("101", "7"), both("111", "7")}, 0, "stood still"},
		{"garbage", []map[string]string{both("100", "7"), both("x", "8"), both("111", "8")}, 0, ""},
		{"no number", []map[string]string{both("100", "7"), both("NaN", "8"), both("111", "8")}, 0, "told NaN"},
	} {
		at := "joules=" + server.URL + "?query=joules_total"
		series, looks = func(look int) map[string]string { return c.told[min(look, len(c.told)-1)] }, 0
		m, err := OpenMeter(t.Context(), at)
		if err != nil {
			t.Fatal(err)
		}
		for looks = 1; looks < len(c.told); looks++ {
			m.Look(t.Context())
		}
		joules, err := m.End(t.Context())
		if c.name == "garbage" && err != nil && strings.Contains(err.Error(), "number") {
			continue
		}
		if err == nil != (c.bad == "" && c.want > 0) || err != nil && (c.bad == "" || !strings.Contains(err.Error(), c.bad)) || err == nil && math.Abs(joules-c.want) > 1e-9 {
			t.Errorf("%s at %s: %v J, %v; want %v, %q", c.name, at, joules, err, c.want, c.bad)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	series = func(int) map[string]string { return both("1", "2") }
	m, err := OpenMeter(ctx, "watts="+server.URL+"?query=power")
	if cancel(); err != nil {
		t.Fatal(err)
	}
	if m.Look(ctx); m.bad != nil {
		t.Errorf("a run that has ended: %v", m.bad)
	}
	hangs := make(chan struct{})
	series = func(int) map[string]string { <-hangs; return nil }
	m.limit = 20 * time.Millisecond
	if _, err := m.End(t.Context()); err == nil || err.Error() != m.Detail+" has not answered within 20ms" {
		t.Errorf("a server that hangs: %v", err)
	}
	close(hangs)
	for text, want := range map[string]string{"watt=http://a?query=b": "is no meter; write a file", "joules=http://a/metrics": "is no meter", "none.csv": "none.csv",
		"http://a?query=b": "is no meter"} {
		if _, err := OpenMeter(t.Context(), text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// Counters of packages are added up, also when they begin again; what cannot be read is not
// measured.
func TestRAPL(t *testing.T) {
	root := t.TempDir()
	set := func(zone, file, text string) {
		t.Helper()
		path := filepath.Join(root, zone, file)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text+"\n"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if RAPL(root) != nil {
		t.Error("nothing measures nothing")
	}
	for zone, name := range map[string]string{"intel-rapl:0": "package-0", "intel-rapl:1": "package-1", "intel-rapl:0:0": "core"} {
		set(zone, "name", name)
		set(zone, "energy_uj", "9000000")
		set(zone, "max_energy_range_uj", "10000000")
	}
	m := RAPL(root)
	set("intel-rapl:0", "energy_uj", "9500000")
	set("intel-rapl:0:0", "energy_uj", "9500000")
	set("intel-rapl:1", "energy_uj", "1000000")
	m.Look(t.Context())
	set("intel-rapl:1", "energy_uj", "1500000")
	if joules, err := m.End(t.Context()); err != nil || joules != 3 || m.Detail != "package-0, package-1" {
		t.Error(joules, m.Detail, err)
	}
	if err := os.Remove(filepath.Join(root, "intel-rapl:1", "energy_uj")); err != nil {
		t.Fatal(err)
	}
	if _, err := m.End(t.Context()); err == nil {
		t.Error("it measures what cannot be read")
	}
}
