package config

import (
	"github.com/goccy/go-yaml/ast"

	"github.com/lakewheel/lakewheel/lakehouse/store"
)

// s3 reads how to talk to the store of s3:// paths.
func (f *fileReader) s3(n ast.Node) {
	c := &f.p.S3
	var uploads int64
	f.fields(n, "s3", map[string]func(ast.Node){
		"endpoint":             f.string(&c.Endpoint, "s3.endpoint"),
		"region":               f.string(&c.Region, "s3.region"),
		"path_style":           choice(f.reader, &c.Addressing, "s3.path_style", map[string]store.Addressing{"true": store.AddressPath, "false": store.AddressHost}),
		"access_key":           f.secret(&c.AccessKey, "s3.access_key"),
		"secret_key":           f.secret(&c.SecretKey, "s3.secret_key"),
		"session_token":        f.secret(&c.SessionToken, "s3.session_token"),
		"credentials_file":     f.string(&c.CredentialsFile, "s3.credentials_file"),
		"profile":              f.string(&c.Profile, "s3.profile"),
		"identity_endpoint":    f.string(&c.IdentityEndpoint, "s3.identity_endpoint"),
		"tls":                  func(n ast.Node) { c.TLS = f.tls(n, "s3.tls") },
		"part_size":            f.size(&c.PartSize, "s3.part_size", 5<<20),
		"uploads":              f.whole(&uploads, "s3.uploads", 1),
		"timeout":              f.duration(&c.Timeout, "s3.timeout"),
		"unsafe_single_writer": f.bool(&c.UnsafeSingleWriter, "s3.unsafe_single_writer"),
	})
	if uploads > mostUploads {
		f.fault(n, "s3.uploads: at most %d, each needs memory for a part", mostUploads)
	}
	c.Uploads = int(min(uploads, mostUploads))
	if (c.AccessKey == "") != (c.SecretKey == "") {
		f.fault(n, "s3: access_key and secret_key belong together")
	}
	if c.Endpoint != "" {
		if err := store.CheckEndpoint(c.Endpoint); err != nil {
			f.fault(n, "s3.endpoint: %v", err)
		}
	}
}

// mostUploads bounds the parts on their way.
const mostUploads = 64

// table checks the path of a table: a local folder, or s3://bucket/prefix.
func (f *fileReader) table(n ast.Node, path, what string) {
	if fault := tableFault(path); fault != "" {
		f.fault(n, "%s: %s", what, fault)
	}
}

// wholeBucket reports whether a path is that of a bucket, beside which there is nothing.
func wholeBucket(path string) bool {
	_, prefix, err := store.ParseS3(path)
	return err == nil && prefix == ""
}
