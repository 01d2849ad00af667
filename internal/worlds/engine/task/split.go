package task

// Piece is a range of bytes of a file. Which lines belong to it stands in lines.go.
type Piece struct {
	Path       string
	Start, End int64
	Source     int   `json:",omitempty"` // number of the job's input, from 0
	Window     int64 `json:"-"`          // read only so many bytes of records; 0 = all
}

// Split is the input of one map task: pieces of files, together at most a block long.
type Split struct {
	Pieces []Piece
	Size   int64
}

// Cut cuts files into splits. A file larger than a block is cut at multiples of the block size; its rest and smaller files fill
// splits together, in order. There is at least one split, empty if there is nothing to read.
func Cut(files []File, block int64) []Split {
	splits, _ := cut(files, block, func(f File) (cuts []int64, _ error) {
		for at := block; at < f.Size; at += block {
			cuts = append(cuts, at)
		}
		return cuts, nil
	})
	return splits
}

// cut asks where to cut the files that are as large as a block.
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
				add(Piece{Path: f.Path, Start: start, End: end, Source: f.Source})
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
		add(Piece{Path: f.Path, Start: start, End: f.Size, Source: f.Source})
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
