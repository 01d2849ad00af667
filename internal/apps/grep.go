package apps

import (
	"regexp"

	"github.com/slackline/slackline/mapreduce"
)

// Hadoop's example "grep" counts the matching texts. This one counts matching lines, as people expect of the name, unless
// only_matching is set; and it does not run a second job that sorts by count.
var grep = App{
	Name:   "grep",
	Doc:    "finds the lines that match a pattern, and counts how often each of them occurs",
	Output: "line TAB count; with only_matching: matching text TAB count",
	Params: []Param{
		{Name: "pattern", Type: Regexp, Required: true, Doc: "regular expression in Go's syntax (RE2), to be found anywhere in the line"},
		{Name: "only_matching", Type: Bool, Default: "false", Doc: "count the non-empty matching texts instead of their lines, as Hadoop's grep does"},
	},
	build: func(s settings) mapreduce.Program {
		pattern := s["pattern"].(*regexp.Regexp)
		var mapper mapreduce.Mapper = matchingLines{pattern}
		if s["only_matching"].(bool) {
			mapper = matchingTexts{pattern}
		}
		return mapreduce.Program{
			NewMapper:   func(*mapreduce.Context) (mapreduce.Mapper, error) { return mapper, nil },
			NewCombiner: newSum,
			NewReducer:  newSum,
		}
	},
}

type matchingLines struct{ pattern *regexp.Regexp }

func (m matchingLines) Map(_, line []byte, out mapreduce.Emitter) error {
	if !m.pattern.Match(line) {
		return nil
	}
	return out.Emit(line, one)
}

type matchingTexts struct{ pattern *regexp.Regexp }

func (m matchingTexts) Map(_, line []byte, out mapreduce.Emitter) error {
	for _, at := range m.pattern.FindAllIndex(line, -1) {
		if at[0] == at[1] {
			continue
		}
		if err := out.Emit(line[at[0]:at[1]], one); err != nil {
			return err
		}
	}
	return nil
}
