package outdir

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/slackline/slackline/internal/fault"
	"github.com/slackline/slackline/internal/worlds/engine/task"
)

// confined checks that what an attempt says it wrote are plain files in a directory that lies
// within the output directory for good: no link is on the way. Commands and programs of users know
// where their attempt writes, and could have put links there.
func confined(root *fault.Root, dir string, parts []task.Part) error {
	if err := errors.Join(named(parts), straight(root, dir)); err != nil {
		return err
	}
	for _, p := range parts {
		if _, err := plain(root, filepath.Join(dir, p.Name)); err != nil {
			return fmt.Errorf("%s: %w", p.Name, fault.Bare(err))
		}
	}
	return nil
}

// named checks that parts are called as files in a directory are.
func named(parts []task.Part) error {
	for _, p := range parts {
		if p.Name != filepath.Base(p.Name) || !filepath.IsLocal(p.Name) {
			return fmt.Errorf("%q is not a file name", p.Name)
		}
	}
	return nil
}

// straight checks that a path below the root leads over directories only, and over no link.
func straight(root *fault.Root, path string) error {
	if !filepath.IsLocal(path) {
		return fmt.Errorf("%q is outside of the directory", path)
	}
	for i, c := range path + string(filepath.Separator) {
		if c != filepath.Separator {
			continue
		}
		info, err := root.Lstat(path[:i])
		if err != nil {
			return fmt.Errorf("%s: %w", path[:i], fault.Bare(err))
		}
		if !info.IsDir() {
			return fmt.Errorf("%s is no longer a directory", path[:i])
		}
	}
	return nil
}

// plain checks that a path is a file, and neither a link nor what could let a reader wait.
func plain(root *fault.Root, path string) (fs.FileInfo, error) {
	info, err := root.Lstat(path)
	if err == nil && !info.Mode().IsRegular() {
		err = errors.New("it is not a plain file")
	}
	return info, err
}

// straightSize checks that a path leads from a directory over other directories, and over no link,
// to a plain file, and returns its size. What a log says lies there is removed one day, so it has
// to lie there.
func straightSize(dir, path string) (int64, error) {
	root, err := fault.OpenRoot(dir)
	if err != nil {
		return 0, err
	}
	defer root.Close()
	if err := straight(root, filepath.Dir(path)); err != nil {
		return 0, err
	}
	info, err := plain(root, path)
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}
