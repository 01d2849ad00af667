package input

import "github.com/slackline/slackline/units"

// A block that nobody names is a part of the job's input, in whole MB and within bounds: few maps
// would leave slots idle behind the longest and lose much when one fails, and each map has a table
// of keys to fill and to write, which short ones do for less.
const (
	LeastBlock = 4 * units.MB
	MostBlock  = 256 * units.MB
	eachSlot   = 4 // maps
)

// Block is the largest split of a job with so many bytes of input, on so many slots, where nobody
// names it. A run that goes on takes that of its log.
func Block(total units.Bytes, slots int) units.Bytes {
	maps := units.Bytes(max(slots, 1) * eachSlot)
	each := (total-1)/maps/units.MB + 1
	return min(max(each*units.MB, LeastBlock), MostBlock)
}

// Total is the size of all files together.
func Total(files []File) (sum units.Bytes) {
	for i := range files {
		sum += units.Bytes(files[i].Size)
	}
	return sum
}

// Piece is a range of bytes of a file. Which lines belong to it is told in package task (lines.go).
type Piece struct {
	Path       string
	Start, End int64
	Source     int   `json:",omitempty"` // number of the job's input, from 0
	FileSize   int64 `json:",omitempty"` // of the whole file when it was found
	Wrote      int64 `json:",omitempty"` // File.Wrote
	Window     int64 `json:"-"`          // read only so many bytes of records; 0 = all
}

// piece is a piece of the file.
func (f *File) piece(start, end int64) Piece {
	return Piece{Path: f.Path, Start: start, End: end, Source: f.Source, FileSize: f.Size, Wrote: f.Wrote}
}

// Part is another piece of the same file.
func (p Piece) Part(start, end int64) Piece {
	p.Start, p.End = start, end
	return p
}

// Split is the input of one map task: pieces of files, together at most a block long.
type Split struct {
	Pieces []Piece
	Size   int64
}

// BlockFor is the smallest block by which files come to so many splits at most, if all of them can be cut anywhere.
func BlockFor(files []File, splits int) units.Bytes {
	total := int64(Total(files))
	least, most := max(1, (total+int64(splits)-1)/int64(splits)), max(1, total)
	for least < most {
		block := least + (most-least)/2
		if list, _ := cut(files, block, evenly(block)); len(list) > splits {
			least = block + 1
		} else {
			most = block
		}
	}
	return units.Bytes(least)
}

// evenly cuts a file at each multiple of a block.
func evenly(block int64) func(File) ([]int64, error) {
	return func(f File) (cuts []int64, _ error) {
		for at := block; at < f.Size; at += block {
			cuts = append(cuts, at)
		}
		return cuts, nil
	}
}

// cut cuts files into splits. A file larger than a block is cut where at says; its rest and smaller
// files fill splits together, in order. There is at least one split, empty if there is nothing to
// read.
func cut(files []File, block int64, at func(File) ([]int64, error)) ([]Split, error) {
	var splits []Split
	var last Split
	flush := func() {
		if last.Size > 0 {
			splits = append(splits, last)
			last = Split{}
		}
	}
	add := func(p Piece) {
		last.Pieces = append(last.Pieces, p)
		last.Size += p.End - p.Start
	}
	for _, f := range files {
		start := int64(0)
		if f.Size >= block {
			flush()
			cuts, err := at(f)
			if err != nil {
				return nil, err
			}
			for _, end := range cuts {
				add(f.piece(start, end))
				start = end
				flush()
			}
		}
		rest := f.Size - start
		if rest == 0 {
			continue
		}
		if last.Size+rest > block {
			flush()
		}
		add(f.piece(start, f.Size))
		if last.Size >= block {
			flush()
		}
	}
	flush()
	if len(splits) == 0 {
		splits = append(splits, Split{})
	}
	return splits, nil
}
