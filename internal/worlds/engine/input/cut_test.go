package input

// Cut cuts files into splits of at most block bytes each, wherever a block ends.
func Cut(files []File, block int64) []Split {
	splits, _ := cut(files, block, evenly(block))
	return splits
}
