package main

import "fmt"

// job is the script of a job on the engine: input and output are its own, the rest as given.
func (b *bench) job(flags, fields, input string) string {
	return fmt.Sprintf("cat >job.yaml <<'END'\nname: versus\n%s\ninput: [%q]\noutput: out\nEND\n%q run job.yaml --no-timing -o json %s >report.json", fields, b.path(input), b.slackline, flags)
}

// own is the script of a count of words by a program of one's own, "" if it is not there.
func (b *bench) own(program string) string {
	if program == "" {
		return ""
	}
	return b.job("", "app: "+program+"\nreduces: 2", "text")
}

// query is the script of a query of DuckDB.
func query(text string) string {
	return fmt.Sprintf("cat >q.sql <<'END'\n%s\nEND\n%q -c \"import duckdb; c = duckdb.connect(); c.execute('SET threads = 2'); c.execute(open('q.sql').read())\"", text, python())
}

// The expressions: with a literal prefix, with one byte that must occur, and without any literal.
var expressions = []struct{ name, text string }{
	{"grep-literal", "qx[0-9]{3}7"},
	{"grep-byte", "[0-9]{3}7"},
	{"grep-none", "[aeiou]{2}[bdg][aeiou]{2}[bdg][aeiou]{2}[bdg]"},
}

// cases lists all the work, in the order in which it is done.
func (b *bench) cases() []testCase {
	size := int64(b.mb) * 1e6
	text, tera := b.path("text"), b.path("tera")
	all := []testCase{{
		name: "wordcount", title: fmt.Sprintf("words of %d MB of text, by Zipf's law", b.mb), bytes: size, inputs: b.make("text", b.text),
		programs: []program{
			{"slackline", "", b.job("", "app: wordcount\nreduces: 2", "text"), ours},
			{"slackline, --sync=off", "", b.job("--sync=off", "app: wordcount\nreduces: 2", "text"), ours},
			{"own program, raw API", "", b.own(b.raw), ours},
			{"own program, typed", "", b.own(b.typed), ours},
			{"floor", "", fmt.Sprintf("%q floor wordcount %q out", b.self, text), bottom},
			{"DuckDB", "python:duckdb", query(fmt.Sprintf("copy (select w, count(*) from (select unnest(string_split(line, ' ')) w from read_csv('%s', columns = {'line': 'VARCHAR'}, "+
				"delim = '\\t', quote = '', escape = '', header = false, auto_detect = false)) where w <> '' group by w) to 'out' (delimiter '\t', header false)", text)), peer},
			{"mawk, sort", "mawk", fmt.Sprintf("mawk '{ for (i = 1; i <= NF; i++) n[$i]++ } END { for (w in n) print w \"\\t\" n[w] }' %q | sort >out", text), peer},
		},
	}}
	for _, e := range expressions {
		all = append(all, testCase{
			name: e.name, title: fmt.Sprintf("lines of the text that match %s", e.text), bytes: size, inputs: b.make("text", b.text),
			programs: []program{
				{"slackline", "", b.job("", fmt.Sprintf("app: grep\nparams: {pattern: '%s'}\nreduces: 0", e.text), "text"), ours},
				{"GNU grep", "grep", fmt.Sprintf("grep -E '%s' %q >out || true", e.text, text), peer},
				{"ripgrep", "rg", fmt.Sprintf("rg '%s' %q >out || true", e.text, text), peer},
				{"floor (reading)", "", fmt.Sprintf("%q floor read %q", b.self, text), bottom},
			},
		})
	}
	sorting := []program{
		{"slackline", "", b.job("", "app: terasort\nreduces: 2", "tera"), ours},
		{"slackline, --sync=off", "", b.job("--sync=off", "app: terasort\nreduces: 2", "tera"), ours},
		{"slackline, 256 MiB", "", b.job("--memory 256MiB", "app: terasort\nreduces: 2", "tera"), ours},
		{"floor", "", fmt.Sprintf("%q floor sort %q out", b.self, tera), bottom},
		{"GNU sort", "sort", fmt.Sprintf("sort --parallel=2 -S 8G %q >out", tera), peer},
		{"GNU sort, 256 MiB", "sort", fmt.Sprintf("sort --parallel=2 -S 256M -T . %q >out", tera), peer},
		{"DuckDB", "python:duckdb", query(fmt.Sprintf("copy (select line from read_csv('%s', columns = {'line': 'VARCHAR'}, delim = '\\t', quote = '', escape = '', header = false, "+
			"auto_detect = false) order by line) to 'out' (header false, quote '', delimiter '\\t')", tera)), peer},
	}
	return append(all,
		testCase{name: "terasort", title: fmt.Sprintf("%d MB of records of 100 bytes", b.mb), bytes: size, inputs: b.make("tera", b.tera), programs: sorting},
		testCase{name: "small", title: "a job of 1 kB, from the start of the process", bytes: 1000, inputs: b.make("tiny", b.tiny), programs: []program{
			{"slackline", "", b.job("", "app: wordcount\nreduces: 1", "tiny"), ours},
			{"mawk, sort", "mawk", fmt.Sprintf("mawk '{ for (i = 1; i <= NF; i++) n[$i]++ } END { for (w in n) print w \"\\t\" n[w] }' %q | sort >out", b.path("tiny")), peer},
			{"DuckDB, select 1", "python:duckdb", query("select 1"), peer},
		}},
		testCase{name: "files", title: fmt.Sprintf("words of %d small files", files), bytes: 57 * files, inputs: b.make("many", b.many), programs: []program{
			{"slackline", "", b.job("", "app: wordcount\nreduces: 1", "many"), ours},
			{"floor (reading)", "", fmt.Sprintf("%q floor read %q", b.self, b.path("many")), bottom},
			{"cat, mawk, sort", "mawk", fmt.Sprintf("cat %q/* | mawk '{ for (i = 1; i <= NF; i++) n[$i]++ } END { for (w in n) print w \"\\t\" n[w] }' | sort >out", b.path("many")), peer},
		}},
	)
}
