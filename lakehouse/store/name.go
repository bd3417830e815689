package store

import (
	"fmt"
	"io/fs"
)

// checkName refuses names that could leave the root of a store: absolute ones, and those with "." or "..".
func checkName(name string) error {
	if !fs.ValidPath(name) || name == "." {
		return fmt.Errorf("object name %q is not a relative path", name)
	}
	return nil
}

func join(folder, base string) string {
	if folder == "" {
		return base
	}
	return folder + "/" + base
}
