package units

import "fmt"

// Count prints a number of things: 1 map, 2 maps, 2 classes.
func Count(n int, thing string) string {
	if n != 1 {
		if thing[len(thing)-1] == 's' {
			thing += "e"
		}
		thing += "s"
	}
	return fmt.Sprintf("%d %s", n, thing)
}
