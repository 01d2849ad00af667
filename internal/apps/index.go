package apps

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/slackline/slackline/mapreduce"
)

var index = App{
	Name:   "index",
	Doc:    "an inverted index: for each word the files that it occurs in, with how often; words are separated by ASCII whitespace",
	Output: "word TAB file:count for each file in order of name, with TABs between; a name with control characters or bytes that are not UTF-8 is quoted",
	build: func(settings) mapreduce.Program {
		return mapreduce.Program{
			NewMapper: func(c *mapreduce.Context) (mapreduce.Mapper, error) {
				return &wordsOfFile{c: c, counts: map[string]*int64{}}, nil
			},
			NewReducer: func(*mapreduce.Context) (mapreduce.Reducer, error) { return filesOfWord{}, nil },
		}
	},
}

// wordsOfFile counts the words of a file before it emits any: a word that occurs often in a file is one record.
type wordsOfFile struct {
	c      *mapreduce.Context
	path   string
	counts map[string]*int64
	bytes  int
	value  []byte
}

// maxHeld is how many bytes of words are held.
const maxHeld = 4 << 20

// Map counts the words of a line.
func (w *wordsOfFile) Map(_, line []byte, out mapreduce.Emitter) error {
	return w.MapBlock(line, 0, out)
}

// MapBlock counts the words of many lines: a LF is whitespace too.
func (w *wordsOfFile) MapBlock(block []byte, _ int64, out mapreduce.Emitter) error {
	if path := w.c.Input().Path; path != w.path || w.bytes > maxHeld {
		if err := w.Close(out); err != nil {
			return err
		}
		w.path = path
	}
	return splitWords{}.MapBlock(block, 0, count{w})
}

// count is an emitter that counts words.
type count struct{ w *wordsOfFile }

// Emit counts a word.
func (c count) Emit(word, _ []byte) error {
	n := c.w.counts[string(word)]
	if n == nil {
		n = new(int64)
		c.w.counts[string(word)] = n
		c.w.bytes += len(word) + 80 // and what the table needs
	}
	*n++
	return nil
}

// Close emits what has been counted.
func (w *wordsOfFile) Close(out mapreduce.Emitter) error {
	for _, word := range slices.Sorted(maps.Keys(w.counts)) {
		w.value = append(strconv.AppendInt(w.value[:0], *w.counts[word], 10), ' ')
		w.value = append(w.value, plainPath(w.path)...)
		if err := out.Emit([]byte(word), w.value); err != nil {
			return err
		}
	}
	clear(w.counts)
	w.bytes = 0
	return nil
}

// plainPath is a path that neither breaks a line nor tells a terminal to do anything, and that no
// other path looks like.
func plainPath(path string) string {
	if strings.ContainsFunc(path, unicode.IsControl) || !utf8.ValidString(path) || strings.HasPrefix(path, `"`) {
		return strconv.Quote(path)
	}
	return path
}

type filesOfWord struct{}

// Reduce adds up the counts of each file: a file may have been read in pieces.
func (filesOfWord) Reduce(word []byte, values mapreduce.Values, out mapreduce.Emitter) error {
	counts := map[string]int64{}
	for values.Next() {
		n, path, ok := bytes.Cut(values.Value(), []byte{' '})
		count, err := mapreduce.ParseCount(n)
		if !ok || err != nil {
			return fmt.Errorf("%q is not a count and a file", values.Value())
		}
		counts[string(path)] += count
	}
	var list []byte
	for i, path := range slices.SortedFunc(maps.Keys(counts), cmp.Compare) {
		if i > 0 {
			list = append(list, '\t')
		}
		list = append(append(list, path...), ':')
		list = strconv.AppendInt(list, counts[path], 10)
	}
	return out.Emit(word, list)
}
