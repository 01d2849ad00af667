package task

import "github.com/slackline/slackline/internal/worlds/engine/input"

// Cut cuts files into splits of one piece each, at multiples of a block.
func Cut(files []input.File, block int64) (splits []input.Split) {
	for _, f := range files {
		for at := int64(0); at < f.Size; at += block {
			end := min(at+block, f.Size)
			p := input.Piece{Path: f.Path, Start: at, End: end, Source: f.Source, FileSize: f.Size, Wrote: f.Wrote}
			splits = append(splits, input.Split{Pieces: []input.Piece{p}, Size: end - at})
		}
	}
	return splits
}

func file(path string, size int64) input.File { return input.File{Path: path, Size: size} }

func piece(path string, start, end int64) input.Piece {
	return input.Piece{Path: path, Start: start, End: end}
}
