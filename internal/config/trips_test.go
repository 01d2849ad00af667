package config

import "testing"

// What people most often write wrong is told with its cure, in one line.
func TestWherePeopleTrip(t *testing.T) {
	for src, want := range map[string]string{
		"text: *.log\n":              `f:1:7: there is no anchor &.log for this alias; a text that begins with an asterisk must be in quotes: "*.log"`,
		"list: [*.log]\n":            `f:1:8: there is no anchor &.log for this alias; a text that begins with an asterisk must be in quotes: "*.log"`,
		"text: *\n":                  "f:1:7: this is not YAML: a text that begins with an asterisk must be in quotes",
		"text: a\n\tyes: true\n":     "f:2:1: this is not YAML: a tab stands where only spaces may; indent lines with spaces",
		"table:\n\ta: b\n":           "f:2:1: this is not YAML: a tab stands where only spaces may; indent lines with spaces",
		"text: echo a: b\n":          "f:1:7: this is not YAML: a colon and a space stand within this value; put all of it in quotes, or indent the next line as far as this one",
		"text: a\n  yes: true\n":     "f:1:7: this is not YAML: a colon and a space stand within this value; put all of it in quotes, or indent the next line as far as this one",
		"text: [day]/x\n":            "f:1:12: this is not YAML: a text goes on behind a bracket that is closed; put all of it in quotes",
		"text: @x\n":                 "f:1:7: this is not YAML: a text that begins so must be in quotes",
		"text: %x\n":                 "f:1:7: this is not YAML: a text that begins with % must be in quotes",
		"text: a\nyes true\n":        "f:2:1: this is not YAML: this line has no key; write key: value, with a space behind the colon",
		"number: 0\n":                "f:1:9: number is 0, it must be at least 1",
		"span: 3\n":                  `f:1:7: span: "3" is not a span of time; write a number with a unit (ns, us, ms, s, m, h, d), such as 90s, 10m or 1h30m`,
		"text: a\ntext: b\nyes: x\n": "f:1:7: text is \"a\", it must be \"good\" or \"better\"\nf:2:1: the key \"text\" is given twice\nf:3:6: yes is \"x\", it must be true or false",
	} {
		doc, err := ParseOne("f", []byte(src))
		if err == nil {
			doc.Read(new(all))
			err = doc.Err()
		}
		if err == nil || err.Error() != want {
			t.Errorf("%q\n got %v\nwant %s", src, err, want)
		}
	}
}
