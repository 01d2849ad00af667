package units

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// ErrCertain is what is wrong with a chance of 100%.
var ErrCertain = errors.New("which no estimate can give")

// ParseChance reads how likely something is to be: a percentage with its sign, from 50% to 99.99%.
func ParseChance(text string) (float64, error) {
	digits, signed := strings.CutSuffix(strings.TrimSpace(text), "%")
	x, err := strconv.ParseFloat(strings.TrimSpace(digits), 64)
	switch {
	case err != nil:
		return 0, fmt.Errorf("%q, which is no percentage such as 99%%", text)
	case !signed && x > 0.5 && x < 1:
		return 0, fmt.Errorf("%q without a sign: write %v%%", text, math.Round(x*1e4)/1e2)
	case !signed && x >= 50 && x <= 99.99:
		return 0, fmt.Errorf("%q without a sign: write %v%%", text, x)
	case x == 100:
		return 0, fmt.Errorf("%q, %w", text, ErrCertain)
	case !(x >= 50 && x <= 99.99):
		return 0, fmt.Errorf("%q, it must be from 50%% to 99.99%%", text)
	}
	p, err := strconv.ParseFloat(strings.TrimSpace(digits)+"e-2", 64) // exact where a division would not be
	if err != nil {
		return x / 100, nil // it has an exponent
	}
	return p, nil
}
