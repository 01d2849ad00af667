package units

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Bytes is an amount of data.
type Bytes int64

// The usual sizes. As in Hadoop's configuration, K, M, G and T are powers of 1024.
const (
	KB Bytes = 1 << 10
	MB Bytes = 1 << 20
	GB Bytes = 1 << 30
	TB Bytes = 1 << 40
)

// String prints b in the largest unit that is not above it, with up to two decimals behind "~"
// where it is not a whole number of these: "64MB", "1000B", "~1.46GB".
func (b Bytes) String() string {
	for _, u := range byteUnits {
		if b >= u.size || b <= -u.size {
			if b%u.size == 0 {
				return strconv.FormatInt(int64(b/u.size), 10) + u.name
			}
			return "~" + strings.TrimSuffix(strings.TrimRight(strconv.FormatFloat(float64(b)/float64(u.size), 'f', 2, 64), "0"), ".") + u.name
		}
	}
	return strconv.FormatInt(int64(b), 10) + "B"
}

var byteUnits = [...]struct {
	size Bytes
	name string
}{{TB, "TB"}, {GB, "GB"}, {MB, "MB"}, {KB, "KB"}}

// ParseBytes reads a size with its unit: B, KB, MB, GB, TB (or K, KiB, …), powers of 1024 as in
// Hadoop. A bare 0 is allowed, any other number without a unit is an error.
func ParseBytes(s string) (Bytes, error) {
	text := strings.TrimSpace(s)
	neg := strings.HasPrefix(text, "-")
	num, unit := leadingNumber(strings.TrimPrefix(text, "-"))
	size, ok := byteSize(strings.TrimSpace(unit))
	f, err := strconv.ParseFloat(num, 64)
	if err != nil && !errors.Is(err, strconv.ErrRange) || !ok && !(unit == "" && f == 0) {
		if _, ok := byteSize(unit + "B"); ok && len(unit) == 2 { // such as Mi, as Kubernetes writes it
			return 0, fmt.Errorf("%q is not a size; write %sB", s, text)
		}
		return 0, fmt.Errorf("%q is not a size; write a number with a unit, such as 64MB, 1.5GB or 100B", s)
	}
	var b Bytes
	x := math.Round(f * float64(size))
	switch n, err := strconv.ParseInt(num, 10, 64); {
	case err == nil && (size == 0 || Bytes(n) <= math.MaxInt64/size):
		b = Bytes(n) * size // exact, where a float would round
	case x >= math.MaxInt64:
		return 0, fmt.Errorf("%q is too large, a size must be below 8388608TB", s)
	default:
		b = Bytes(x)
	}
	if neg {
		b = -b
	}
	return b, nil
}

func byteSize(unit string) (Bytes, bool) {
	switch strings.ToUpper(unit) {
	case "B":
		return 1, true
	case "K", "KB", "KIB":
		return KB, true
	case "M", "MB", "MIB":
		return MB, true
	case "G", "GB", "GIB":
		return GB, true
	case "T", "TB", "TIB":
		return TB, true
	}
	return 0, false
}
