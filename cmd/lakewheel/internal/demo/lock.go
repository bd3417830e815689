package demo

import (
	"fmt"
	"os"
	"path/filepath"
	"syscall"
)

// lock keeps two demos out of one folder: their brokers would write over each other. It ends with the process, however that ends.
func lock(dir string) (unlock func(), err error) {
	f, err := os.OpenFile(filepath.Join(dir, "demo.lock"), os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		_ = f.Close()
		return nil, fmt.Errorf("another demo is running in %s: stop it, or give this one a folder of its own with --dir", dir)
	}
	return func() { _ = f.Close() }, nil
}
