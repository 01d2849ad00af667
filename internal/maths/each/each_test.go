package each

import (
	"slices"
	"strconv"
	"testing"
)

func TestOf(t *testing.T) {
	if got := Of([]int{3, 1, 2}, strconv.Itoa); !slices.Equal(got, []string{"3", "1", "2"}) {
		t.Error(got)
	}
	if got := Of([]int(nil), strconv.Itoa); len(got) != 0 {
		t.Error(got)
	}
}
