package apps

import "github.com/slackline/slackline/mapreduce"

// newSum adds up counts, as a combiner and as a reducer.
func newSum(c *mapreduce.Context) (mapreduce.Reducer, error) { return mapreduce.Sum.Reducer(c) }
