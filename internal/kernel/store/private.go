package store

import (
	"os"
	"path/filepath"
	"runtime"
)

// What ran, and what programs said when they did, is nobody's business but the user's. So all files
// are made for the user alone, and those of an earlier build that others could read are closed.
// Windows has no such modes: there the folder inherits who may read it from the one above.

// makePrivate makes the folder and the file of a store, if need be, and closes what others may
// read. What cannot be made or closed is left to who opens it.
func makePrivate(path string) error {
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	// SQLite makes the files beside it with the same mode. One that is there is not opened: closing
	// it would give up the locks that this process may have on it.
	if f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600); err == nil {
		_ = f.Close()
	}
	if runtime.GOOS == "windows" {
		return nil
	}
	ours := map[string]bool{"results": true} // of package lab
	base := filepath.Base(path)
	for _, name := range []string{base, base + "-wal", base + "-shm", base + "-journal", "running"} {
		ours[name] = true
		closeTo(filepath.Join(dir, name))
	}
	locks, _ := os.ReadDir(filepath.Join(dir, "running"))
	for _, l := range locks {
		closeTo(filepath.Join(dir, "running", l.Name()))
	}
	names, err := os.ReadDir(dir)
	for _, n := range names {
		if !ours[n.Name()] { // a folder of the user's, who named it as a store
			return nil
		}
	}
	if err == nil {
		closeTo(dir)
	}
	return nil
}

// closeTo takes from others the right to read a file or folder. Links are left alone.
func closeTo(path string) {
	info, err := os.Lstat(path)
	if err != nil || !info.Mode().IsRegular() && !info.IsDir() || info.Mode().Perm()&0o077 == 0 {
		return
	}
	_ = os.Chmod(path, info.Mode().Perm()&0o700)
}
