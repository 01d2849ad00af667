package apps

import (
	"encoding/binary"
	"math/bits"

	"github.com/slackline/slackline/mapreduce"
)

var wordcount = App{
	Name:   "wordcount",
	Doc:    "counts how often each word occurs; words are what stands between ASCII whitespace",
	Output: "word TAB count",
	build: func(settings) mapreduce.Program {
		return mapreduce.Program{
			NewMapper:  func(*mapreduce.Context) (mapreduce.Mapper, error) { return splitWords{}, nil },
			Fold:       mapreduce.Sum,
			NewReducer: mapreduce.Sum.Reducer,
		}
	},
}

// splitWords emits each word with a count of 1.
type splitWords struct{}

var one = []byte("1")

// space tells the whitespace of ASCII: space, tab, line feed, vertical tab, form feed, carriage return.
var space = [256]bool{' ': true, '\t': true, '\n': true, '\v': true, '\f': true, '\r': true}

func (w splitWords) Map(_, line []byte, out mapreduce.Emitter) error { return w.MapBlock(line, 0, out) }

// MapBlock takes many lines for one: an LF is whitespace too. It looks at eight bytes at once, as most words end within them.
func (splitWords) MapBlock(block []byte, _ int64, out mapreduce.Emitter) error {
	for i := 0; i < len(block); {
		if space[block[i]] {
			i++
			continue
		}
		from := i
		for i+8 <= len(block) {
			if low := belowSpace(binary.LittleEndian.Uint64(block[i:])); low == 0 {
				i += 8
				continue
			} else if i += bits.TrailingZeros64(low) / 8; space[block[i]] {
				break
			}
			i++ // a control character is part of the word
		}
		for i < len(block) && !space[block[i]] {
			i++
		}
		if err := out.Emit(block[from:i], one); err != nil {
			return err
		}
	}
	return nil
}

// belowSpace sets the highest bit of each byte up to the first one that is at most a space; what it sets behind that may be wrong.
func belowSpace(eight uint64) uint64 {
	const each = 0x0101010101010101
	return (eight - each*(' '+1)) &^ eight & (each * 0x80)
}
