// Package pyenv sets up a Python with what the tests need of it.
package pyenv

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// Python makes a virtual environment in a folder, installs a requirements file into it
// and returns the path of its Python. It does nothing where that has been done before.
func Python(venv, requirements string) (string, error) {
	p := filepath.Join(venv, "bin", "python")
	ready := filepath.Join(venv, "ready")
	want, err := os.ReadFile(requirements)
	if err != nil {
		return "", err
	}
	if have, err := os.ReadFile(ready); err == nil && bytes.Equal(have, want) {
		return p, nil
	}
	if err := loud(exec.Command("python3", "-m", "venv", venv)); err != nil {
		return "", err
	}
	if err := loud(exec.Command(p, "-m", "pip", "install", "-q", "-r", requirements)); err != nil {
		return "", err
	}
	return p, os.WriteFile(ready, want, 0o644)
}

func loud(cmd *exec.Cmd) error {
	out, err := cmd.CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s: %w\n%s", cmd, err, out)
	}
	return nil
}
