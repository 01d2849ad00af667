package apps

import (
	"github.com/slackline/slackline/internal/maths/automaton"
	"github.com/slackline/slackline/mapreduce"
)

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
		pattern := s["pattern"].(*automaton.Expr)
		var err error
		if s["ignore_case"].(bool) {
			pattern, err = automaton.Compile("(?i)" + pattern.String())
		}
		return mapreduce.Program{
			NewMapper: func(c *mapreduce.Context) (mapreduce.Mapper, error) {
				if err != nil {
					return nil, err
				}
				m := &matching{scanner: pattern.NewScanner(), texts: s["only_matching"].(bool), context: c}
				m.tell()
				return m, nil
			},
			Fold:       mapreduce.Sum,
			NewReducer: mapreduce.Sum.Reducer,
		}
	},
}

// matching emits the lines that match, or the texts in them that do, each with a count of 1.
type matching struct {
	scanner *automaton.Scanner
	texts   bool
	context *mapreduce.Context
	slow    *mapreduce.Counter // nil until it is
	line    []byte
}

var _ mapreduce.BlockMapper = (*matching)(nil)

// Map looks at one line.
func (m *matching) Map(key, line []byte, out mapreduce.Emitter) error {
	m.line = append(append(m.line[:0], line...), '\n') // else an empty line would be none
	return m.MapBlock(m.line, mapreduce.Offset(key), out)
}

// tell warns of a pattern that has to be looked for slowly, and lets a counter say so later.
func (m *matching) tell() {
	if m.slow == nil && m.scanner.Slow() {
		m.slow = m.context.Counter("grep", "bytes scanned "+m.scanner.Method())
		m.context.Warn("the pattern is looked for " + m.scanner.Method())
	}
}

// MapBlock looks at many lines.
func (m *matching) MapBlock(block []byte, _ int64, out mapreduce.Emitter) error {
	err := m.scanner.Each(block, func(at automaton.Line) error {
		line := block[at.Start:at.End]
		if !m.texts {
			return out.Emit(line, one)
		}
		return m.scanner.Matches(line, func(start, end int) error {
			if start == end {
				return nil
			}
			return out.Emit(line[start:end], one)
		})
	})
	m.tell()
	if m.slow != nil {
		m.slow.Add(int64(len(block)))
	}
	return err
}
