package journal

import (
	"math/bits"
	"slices"
)

// pairs holds 00, 01, … 99.
const pairs = "00010203040506070809101112131415161718192021222324252627282930313233343536373839404142434445464748495051525354555657585960616263646566676869707172737475767778798081828384858687888990919293949596979899"

// powers of ten, the first of them 0 so that 0 has a digit.
var powers = [20]uint64{0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19}

// appendNumber is strconv.AppendInt in base ten. It writes the digits where they stay, which takes
// half of the time; most of what a journal says are numbers.
func appendNumber(b []byte, v int64) []byte {
	u := uint64(v)
	if v < 0 {
		b, u = append(b, '-'), -u
	}
	n := bits.Len64(u|1) * 1233 >> 12 // ⌊log10⌋ or one more: 1233/4096 is a little above log10 2
	if u >= powers[n] {
		n++
	}
	b = slices.Grow(b, n)[:len(b)+n]
	i := len(b)
	for ; u >= 100; u /= 100 {
		p := u % 100 * 2
		i -= 2
		b[i], b[i+1] = pairs[p], pairs[p+1]
	}
	if u >= 10 {
		b[i-2], b[i-1] = pairs[u*2], pairs[u*2+1]
	} else {
		b[i-1] = '0' + byte(u)
	}
	return b
}

// increment adds one to a number in digits; no digits are 0.
func increment(digits []byte) []byte {
	for i := len(digits) - 1; i >= 0; i-- {
		if digits[i] != '9' {
			digits[i]++
			return digits
		}
		digits[i] = '0'
	}
	return slices.Insert(digits, 0, '1')
}
