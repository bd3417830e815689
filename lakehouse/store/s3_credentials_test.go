package store

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// bare takes away what the environment of the test knows of S3.
func bare(t *testing.T) {
	for _, name := range []string{"AWS_ACCESS_KEY_ID", "AWS_ACCESS_KEY", "AWS_SECRET_ACCESS_KEY", "AWS_SECRET_KEY", "AWS_SESSION_TOKEN", "AWS_PROFILE", "AWS_WEB_IDENTITY_TOKEN_FILE",
		"AWS_CONTAINER_CREDENTIALS_RELATIVE_URI", "AWS_CONTAINER_CREDENTIALS_FULL_URI", "AWS_ROLE_ARN", "AWS_REGION"} {
		t.Setenv(name, "")
	}
	t.Setenv("HOME", t.TempDir())
	t.Setenv("AWS_SHARED_CREDENTIALS_FILE", filepath.Join(t.TempDir(), "none"))
	t.Setenv("AWS_CONFIG_FILE", filepath.Join(t.TempDir(), "none"))
	t.Setenv("AWS_EC2_METADATA_DISABLED", "true")
}

// keyOf asks the keychain of a configuration for the access key.
func keyOf(c S3Config) (string, error) {
	if err := c.complete(); err != nil {
		return "", err
	}
	v, err := newKeychain(c).credentials.GetWithContext(nil)
	return v.AccessKeyID + "/" + v.SecretAccessKey + "/" + v.SessionToken, err
}

// Each source is used only if those before it have nothing.
func TestCredentialsAreLookedForInOrder(t *testing.T) {
	bare(t)
	_, err := keyOf(S3Config{})
	require.ErrorContains(t, err, "no credentials for S3 (environment: AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY are not both set; shared file:")
	file := filepath.Join(t.TempDir(), "credentials")
	require.NoError(t, os.WriteFile(file, []byte("[default]\naws_access_key_id = file\naws_secret_access_key = fs\n[other]\naws_access_key_id = other\naws_secret_access_key = os\n"), 0o600))
	for name, c := range map[string]struct {
		config S3Config
		env    map[string]string
		want   string
	}{
		"settings":       {S3Config{AccessKey: "a", SecretKey: "b", SessionToken: "c"}, map[string]string{"AWS_ACCESS_KEY_ID": "env", "AWS_SECRET_ACCESS_KEY": "es"}, "a/b/c"},
		"environment":    {S3Config{CredentialsFile: file}, map[string]string{"AWS_ACCESS_KEY_ID": "env", "AWS_SECRET_ACCESS_KEY": "es", "AWS_SESSION_TOKEN": "et"}, "env/es/et"},
		"half of it":     {S3Config{CredentialsFile: file}, map[string]string{"AWS_ACCESS_KEY_ID": "env"}, "file/fs/"},
		"file":           {S3Config{CredentialsFile: file}, nil, "file/fs/"},
		"file of env":    {S3Config{}, map[string]string{"AWS_SHARED_CREDENTIALS_FILE": file}, "file/fs/"},
		"profile":        {S3Config{CredentialsFile: file, Profile: "other"}, nil, "other/os/"},
		"profile of env": {S3Config{CredentialsFile: file}, map[string]string{"AWS_PROFILE": "other"}, "other/os/"},
	} {
		t.Run(name, func(t *testing.T) {
			for k, v := range c.env {
				t.Setenv(k, v)
			}
			got, err := keyOf(c.config)
			require.NoError(t, err)
			require.Equal(t, c.want, got)
		})
	}
}

// roleServer is a metadata service and an STS that give out numbered credentials for an hour.
type roleServer struct {
	*httptest.Server
	now    func() time.Time
	given  atomic.Int32
	broken atomic.Bool
	token  atomic.Value // the web identity it got
}

func newRoleServer(t *testing.T, now func() time.Time) *roleServer {
	r := &roleServer{now: now}
	r.Server = httptest.NewServer(r)
	t.Cleanup(r.Close)
	return r
}

func (r *roleServer) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	until := r.now().Add(time.Hour).UTC().Format(time.RFC3339)
	switch {
	case r.broken.Load():
		http.Error(w, "down", http.StatusServiceUnavailable)
	case strings.HasSuffix(q.URL.Path, "/api/token"):
		fmt.Fprint(w, "imds-token")
	case strings.HasSuffix(q.URL.Path, "/security-credentials/"):
		fmt.Fprint(w, "role")
	case strings.HasSuffix(q.URL.Path, "/security-credentials/role"):
		n := r.given.Add(1)
		_ = json.NewEncoder(w).Encode(map[string]string{"Code": "Success", "AccessKeyId": fmt.Sprint("key", n), "SecretAccessKey": fmt.Sprint("secret", n), "Token": fmt.Sprint("token", n), "Expiration": until})
	default:
		_ = q.ParseForm()
		r.token.Store(q.Form.Get("WebIdentityToken"))
		n := r.given.Add(1)
		fmt.Fprintf(w, `<AssumeRoleWithWebIdentityResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><AssumeRoleWithWebIdentityResult><Credentials>`+
			`<AccessKeyId>key%d</AccessKeyId><SecretAccessKey>secret%d</SecretAccessKey><SessionToken>token%d</SessionToken><Expiration>%s</Expiration>`+
			`</Credentials></AssumeRoleWithWebIdentityResult></AssumeRoleWithWebIdentityResponse>`, n, n, n, until)
	}
}

// Credentials of a role are renewed before they end; while that fails the old ones serve as long as they hold.
func TestRolesAreRenewed(t *testing.T) {
	for name, prepare := range map[string]func(t *testing.T){
		"machine": func(t *testing.T) { t.Setenv("AWS_EC2_METADATA_DISABLED", "") },
		"web identity": func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "jwt")
			require.NoError(t, os.WriteFile(file, []byte("the-jwt"), 0o600))
			t.Setenv("AWS_WEB_IDENTITY_TOKEN_FILE", file)
			t.Setenv("AWS_ROLE_ARN", "arn:aws:iam::1:role/r")
		},
	} {
		t.Run(name, func(t *testing.T) {
			bare(t)
			prepare(t)
			now := time.Now()
			server := newRoleServer(t, func() time.Time { return now })
			c := S3Config{IdentityEndpoint: server.URL, Now: func() time.Time { return now }}
			require.NoError(t, c.complete())
			k := newKeychain(c)
			key := func() string {
				v, err := k.credentials.GetWithContext(nil)
				if err != nil {
					return "none"
				}
				return v.AccessKeyID
			}
			require.Equal(t, "key1", key())
			if name == "web identity" {
				require.Equal(t, "the-jwt", server.token.Load())
			}
			now = now.Add(30 * time.Minute)
			require.Equal(t, "key1", key(), "it holds")
			now = now.Add(20 * time.Minute)
			require.Equal(t, "key2", key(), "renewed after 80% of its time")
			server.broken.Store(true)
			now = now.Add(50 * time.Minute)
			require.Equal(t, "key2", key(), "the service is down, the old one holds")
			server.broken.Store(false)
			require.Equal(t, "key2", key(), "not asked all the time")
			now = now.Add(2 * time.Minute)
			require.Equal(t, "key3", key())
			server.broken.Store(true)
			now = now.Add(2 * time.Hour)
			require.Equal(t, "none", key(), "nothing that has ended is used")
			require.Equal(t, "say *** and *** and ***", k.hide("say secret3 and token3 and secret2"))
		})
	}
}

// Credentials that a store calls expired are fetched anew for the next attempt.
func TestExpiredCredentialsAreReplaced(t *testing.T) {
	bare(t)
	t.Setenv("AWS_EC2_METADATA_DISABLED", "")
	server := newRoleServer(t, time.Now)
	f := newFakeS3(t)
	s := f.open(t, func(c *S3Config) { c.AccessKey, c.SecretKey, c.IdentityEndpoint = "", "", server.URL })
	f.failNth(http.MethodPut, 0, expiredToken)
	require.NoError(t, s.Put(context.Background(), "a", nil))
	require.EqualValues(t, 2, server.given.Load())
}

// Without credentials nothing is sent and nothing tried again.
func TestNoCredentials(t *testing.T) {
	bare(t)
	f := newFakeS3(t)
	s := f.open(t, func(c *S3Config) { c.AccessKey, c.SecretKey = "", "" })
	_, err := s.PutIfAbsent(context.Background(), "a", nil)
	require.ErrorContains(t, err, "no credentials for S3")
	requireOutcome(t, errCertain, err)
	require.Empty(t, f.requests())
}

// A configuration can be printed.
func TestConfigurationsHideSecrets(t *testing.T) {
	c := S3Config{Endpoint: "https://host", SecretKey: fakeSecret, SessionToken: "session"}
	require.NotRegexp(t, fakeSecret+"|session", fmt.Sprintf("%v %+v %#v %s", c, c, c, c))
	require.NotRegexp(t, fakeSecret, fmt.Sprintf("%+v", struct{ S3 S3Config }{c}))
}

// Whatever a server says, the secrets of who asks are not in the error.
func TestSecretsStayOutOfErrors(t *testing.T) {
	f := newFakeS3(t)
	s := f.open(t, func(c *S3Config) { c.SessionToken = "session-of-the-fake" })
	for _, w := range []wrong{refuse503, slowDown, conflict409, forbidden, expiredToken, drop} {
		f.fail(func(int, *http.Request) wrong { return w })
		_, putErr := s.PutIfAbsent(context.Background(), "a", nil)
		_, statErr := s.Stat(context.Background(), "a")
		_, probeErr := s.Probe(context.Background())
		for _, err := range []error{putErr, statErr, probeErr, s.Put(context.Background(), "a", nil), writeAll(s, "b", nil)} {
			require.Error(t, err)
			for e := err; e != nil; e = unwrapOne(e) {
				require.NotContains(t, fmt.Sprintf("%v %+v %#v", e, e, e), fakeSecret)
				require.NotContains(t, fmt.Sprintf("%v", e), "session-of-the-fake")
			}
		}
	}
}

func unwrapOne(err error) error {
	switch e := err.(type) {
	case interface{ Unwrap() error }:
		return e.Unwrap()
	case interface{ Unwrap() []error }:
		return e.Unwrap()[len(e.Unwrap())-1]
	}
	return nil
}
