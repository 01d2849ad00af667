package equip

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/slackline/slackline/internal/studies/scenario"
	"github.com/slackline/slackline/units"
)

// What a join cannot read is told before anything runs, with the place in the job file.
func TestInputsOfJoin(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"users.csv": "id,name\n7,Ann\n", "empty.csv": "", "blank.csv": "\n\r\n\n", "visits.jsonl": `{"user":7}` + "\n", "text": "7\tx\n", "open.csv": "\"id\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	two := func(left, right string) string {
		return "params: {left_key: id, right_key: user}\ninputs:\n- {name: left, path: DIR/" + left + "}\n- {name: right, path: DIR/visits.jsonl, format: json" + right + "}\n"
	}
	for job, want := range map[string]string{
		two("users.csv, format: csv", ""): "",
		two("empty.csv, format: csv", ""): `j.yaml:6:3: input "DIR/empty.csv": it is empty, but a header with the column "id" is needed`,
		two("blank.csv, format: csv", ""): `j.yaml:6:3: input "DIR/blank.csv": it is empty, but a header with the column "id" is needed`,
		two("open.csv, format: csv", ""):  `j.yaml:6:3: input "DIR/open.csv": the header: field 1 has an opening quote and no closing one`,
		two("users.csv", ""):              `j.yaml:6:3: left_key names the column "id", but lines of text have none`,
		two("users.csv, format: kv", ""):  `j.yaml:6:3: join reads lines of text, json and csv, not kv`,
		"params: {left_key: di, right_key: di}\ninputs: [{name: left, path: DIR/users.csv}, {name: right, path: DIR/users.csv}]\ninput_format: csv\n":                         `j.yaml:5:10: input "DIR/users.csv": its header has no column "di"; did you mean "id"?`,
		"inputs: [{name: left, path: DIR/users.csv}, {name: right, path: DIR/users.csv}]\ninput_format: csv\n":                                                                `j.yaml:4:10: left_key is the number of a field, 1, but records of csv have names;`,
		"params: {left_key: id, right_key: id}\ninputs: [{name: left, path: DIR/users.csv}, {name: right, path: DIR/users.csv}]\ninput_format: csv\ncsv: {no_header: true}\n": `csv without a header has no names`,
		"input: DIR/text\n":                                                     "j.yaml:4:8: join reads two inputs; name them under inputs, as in inputs: [{name: left, ",
		"input: DIR/text\nparams: {right_path: r}\n":                            "",
		"inputs: [{path: DIR/text}, {path: DIR/text}]\n":                        `j.yaml:4:10: the input "1" is neither left nor right; join reads two`,
		"inputs: [{name: left, path: DIR/text}]\n":                              "j.yaml:4:10: there is no input with the name right; join reads two",
		"inputs: [{name: left, path: DIR/text}, {name: right, path: DIR/text}]": "",
	} {
		job, want = strings.ReplaceAll(job, "DIR", dir), strings.ReplaceAll(want, "DIR", dir)
		files, err := scenario.ReadJobs("j.yaml", []byte("name: j\napp: join\noutput: "+dir+"/out\n"+job))
		if err != nil {
			t.Fatal(err)
		}
		_, err = Jobs(files, Options{Block: 32 * units.MB, Now: time.Now()})
		if err == nil != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s\n%v\nwant %s", job, err, want)
		}
	}
}
