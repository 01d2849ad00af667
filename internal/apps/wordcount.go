package apps

import (
	"encoding/binary"
	"math/bits"

	"github.com/slackline/slackline/mapreduce"
)

var wordcount = App{
	Name:   "wordcount",
	Doc:    "counts how often each word occurs; words are separated by ASCII whitespace",
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

// MapBlock takes many lines for one: an LF is whitespace too. It looks for what may be whitespace
// in 64 bytes at once, so that finding the end of a word does not wait for that of the word before.
func (splitWords) MapBlock(block []byte, _ int64, out mapreduce.Emitter) error {
	from := 0 // of the word at hand
	at := 0
	for ; at+64 <= len(block); at += 64 {
		for ends := mayBeSpace(block[at : at+64]); ends != 0; ends &= ends - 1 {
			i := at + bits.TrailingZeros64(ends)
			if !space[block[i]] {
				continue // another control character is part of the word
			}
			if i > from {
				if err := out.Emit(block[from:i], one); err != nil {
					return err
				}
			}
			from = i + 1
		}
	}
	for ; at < len(block); at++ {
		if !space[block[at]] {
			continue
		}
		if at > from {
			if err := out.Emit(block[from:at], one); err != nil {
				return err
			}
		}
		from = at + 1
	}
	if len(block) > from {
		return out.Emit(block[from:], one)
	}
	return nil
}

// mayBeSpace sets a bit for each of 64 bytes that is at most a space, and for some others.
func mayBeSpace(b []byte) (set uint64) {
	const each = 0x0101010101010101
	for i := 56; i >= 0; i -= 8 {
		x := binary.LittleEndian.Uint64(b[i:])
		high := (x - each*(' '+1)) &^ x & (each << 7)   // in each byte below, and perhaps behind one, for its borrow
		set = set<<8 | (high>>7)*0x0102040810204080>>56 // the bits of eight bytes side by side
	}
	return set
}
