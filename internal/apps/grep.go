package apps

import "github.com/slackline/slackline/mapreduce"

// Hadoop's example "grep" counts the matching texts. This one counts matching lines, as people
// expect of the name, unless only_matching is set; and it does not run a second job that sorts by
// count.
var grep = App{
	Name: "grep",
	Doc: "finds the lines that match a pattern, and counts how often each of them occurs; with reduces: 0 it does not count: they come in the " +
		"order of the input, each with a 1",
	Output:  "line TAB count; with only_matching: matching text TAB count",
	MapOnly: true,
	Params: []Param{
		{Name: "pattern", Type: Regexp, Required: true, Doc: "regular expression in Go's syntax (RE2), found anywhere in the line"},
		{Name: "only_matching", Type: Bool, Default: "false", Doc: "count the non-empty matching texts instead of their lines, as Hadoop's grep does"},
		{Name: "ignore_case", Type: Bool, Default: "false", Doc: "ignore case, as (?i) at the start of the pattern does"},
	},
	build: func(s settings) mapreduce.Program {
		p := s["pattern"].(*pattern)
		var err error
		if s["ignore_case"].(bool) {
			p, err = compile("(?i)" + p.String())
		}
		return mapreduce.Program{
			NewMapper: func(*mapreduce.Context) (mapreduce.Mapper, error) {
				return &matching{pattern: p, texts: s["only_matching"].(bool)}, err
			},
			Fold:       mapreduce.Sum,
			NewReducer: mapreduce.Sum.Reducer,
		}
	},
}

// matching emits the lines that match, or the texts in them that do, each with a count of 1.
type matching struct {
	pattern *pattern
	texts   bool
	line    []byte
}

var _ mapreduce.BlockMapper = (*matching)(nil)

// Map looks at one line.
func (m *matching) Map(key, line []byte, out mapreduce.Emitter) error {
	// Without the LF an empty line would be none.
	m.line = append(append(m.line[:0], line...), '\n')
	return m.MapBlock(m.line, mapreduce.Offset(key), out)
}

// MapBlock looks at many lines.
func (m *matching) MapBlock(block []byte, _ int64, out mapreduce.Emitter) error {
	return m.pattern.each(block, func(line []byte) error {
		if !m.texts {
			return out.Emit(line, one)
		}
		for _, at := range m.pattern.FindAllIndex(line, -1) {
			if at[0] == at[1] {
				continue
			}
			if err := out.Emit(line[at[0]:at[1]], one); err != nil {
				return err
			}
		}
		return nil
	})
}
