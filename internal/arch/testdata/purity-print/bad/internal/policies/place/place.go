// Package place talks.
package place

import "fmt"

func place(n int) {
	fmt.Println(n)      // want purity-print
	fmt.Printf("%d", n) // want purity-print
	fmt.Print(n)        // want purity-print
	println(n)          // want purity-print
	_, _ = fmt.Scan(&n) // want purity-print
}
