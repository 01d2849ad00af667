package task

import (
	"fmt"
	"os"
	"path/filepath"
)

// confined checks that what an attempt says it wrote are plain files in a directory that lies within the output directory for good: no
// link on the way leads out of it. Commands and programs of users know where their attempt writes, and could have put links there.
func (c *Committer) confined(dir string, parts []Part) error {
	root, err := os.OpenRoot(c.dir)
	if err != nil {
		return err
	}
	defer root.Close()
	below, err := filepath.Rel(c.dir, dir)
	if err != nil {
		return err
	}
	for _, p := range parts {
		if p.Name != filepath.Base(p.Name) || !filepath.IsLocal(p.Name) {
			return fmt.Errorf("%q is no name of a file", p.Name)
		}
		info, err := root.Lstat(filepath.Join(below, p.Name)) // follows no link out of the root
		if err != nil {
			return fmt.Errorf("%s: %w", p.Name, bare(err))
		}
		if !info.Mode().IsRegular() {
			return fmt.Errorf("%s is not a plain file", p.Name)
		}
	}
	info, err := root.Lstat(below)
	if err == nil && !info.IsDir() {
		err = fmt.Errorf("the directory of the attempt has become something else")
	}
	return err
}
