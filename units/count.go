package units

import "fmt"

// Count prints a number of things: 1 map, 2 maps.
func Count(n int, thing string) string {
	if n != 1 {
		thing += "s"
	}
	return fmt.Sprintf("%d %s", n, thing)
}
