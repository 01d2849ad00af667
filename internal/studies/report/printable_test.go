package report

import "testing"

func TestPrintable(t *testing.T) {
	for in, want := range map[string]string{
		"plain, é and \"quoted\"\n": `plain, é and "quoted"`,
		"\x1b[31mred\nnext\tone":    `\x1b[31mred\nnext\tone`,
		"\u009b2J\x00\x7f":          `\u009b2J\x00\x7f`,
		"":                          "",
		"a\xffb\x9b2J \ufffd":       `a\xffb\x9b2J ` + "\ufffd",
		"gpj.\u202efdp\u2028":       `gpj.\u202efdp`, // read from the right
		"x\u2029y":                  `x\u2029y`,
	} {
		if got := Printable(in); got != want {
			t.Errorf("%q is %q, want %q", in, got, want)
		}
	}
	for in, want := range map[string]string{
		"  a\tb\n\n\x1b[1mc\r\nd\n": "  a\tb\n\n\\x1b[1mc\\r\nd\n",
		"\xc3\n":                    "\\xc3\n",
	} {
		if got := PrintableLines(in); got != want {
			t.Errorf("lines: %q is %q, want %q", in, got, want)
		}
	}
}
