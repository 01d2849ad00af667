package task

// Piece is a range of bytes of a file. Which lines belong to it stands in lines.go.
type Piece struct {
	Path       string
	Start, End int64
}

// Split is the input of one map task: pieces of files, together at most a block long.
type Split struct {
	Pieces []Piece
	Size   int64
}

// Cut cuts files into splits. A file larger than a block is cut at multiples of the block size; its rest and smaller files fill
// splits together, in order. There is at least one split, empty if there is nothing to read.
func Cut(files []File, block int64) []Split {
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
			for ; f.Size-start >= block; start += block {
				add(Piece{f.Path, start, start + block})
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
		add(Piece{f.Path, start, f.Size})
	}
	flush()
	if len(splits) == 0 {
		splits = append(splits, Split{})
	}
	return splits
}
