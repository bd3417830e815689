package parquetfile

import "runtime/debug"

// libraryVersion is the version of parquet-go in this test binary, "" if the build does not tell.
func libraryVersion() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	for _, dep := range info.Deps {
		if dep.Path == "github.com/parquet-go/parquet-go" {
			return dep.Version
		}
	}
	return ""
}
