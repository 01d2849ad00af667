//go:build !unix

package outdir

// writable tells nothing here: whoever writes there finds out.
func writable(string) error { return nil }
