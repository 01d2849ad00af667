package units

import (
	"strings"
	"testing"
)

func TestParseChance(t *testing.T) {
	for text, want := range map[string]float64{"99%": 0.99, "99.9 %": 0.999, " 50%": 0.5, "99.99%": 0.9999} {
		if got, err := ParseChance(text); err != nil || got != want {
			t.Errorf("%q: %v, %v", text, got, err)
		}
	}
	for text, says := range map[string]string{
		"99": "without a sign: write 99%", "0.99": "without a sign: write 99%", "100%": "no estimate can give", "0": "from 50% to 99.99%",
		"0%": "from 50% to 99.99%", "-3%": "from 50%", "99.999%": "to 99.99%", "abc": "no percentage", "NaN%": "from 50%", "%": "no percentage",
	} {
		if _, err := ParseChance(text); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: %v, which does not say %q", text, err, says)
		}
	}
}
