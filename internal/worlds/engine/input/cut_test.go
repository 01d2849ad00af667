package input

// Cut cuts files into splits. A file larger than a block is cut at multiples of its size.
func Cut(files []File, block int64) []Split {
	splits, _ := cut(files, block, func(f File) (cuts []int64, _ error) {
		for at := block; at < f.Size; at += block {
			cuts = append(cuts, at)
		}
		return cuts, nil
	})
	return splits
}
