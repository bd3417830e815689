package store

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/minio/minio-go/v7/pkg/credentials"
)

const (
	identityTimeout = 10 * time.Second // of a question to STS or the metadata service
	againAfter      = time.Minute      // after a renewal that failed while the old credentials still hold
)

// keychain finds credentials and remembers them, so that no message shows them.
//
// The first source that has some is kept. Temporary ones are renewed after 80% of their time; if that fails, the old ones are used
// as long as they hold.
type keychain struct {
	credentials *credentials.Credentials
	sources     []keySource
	now         func() time.Time

	mu      sync.Mutex
	source  credentials.Provider
	value   credentials.Value
	retryAt time.Time
	secrets []string
}

type keySource struct {
	name string
	credentials.Provider
}

// noCredentialsError says where credentials were looked for.
type noCredentialsError struct{ tried []string }

func (e *noCredentialsError) Error() string {
	return "no credentials for S3 (" + strings.Join(e.tried, "; ") + "): set s3.access_key and s3.secret_key, or give one of these"
}

func newKeychain(c S3Config) *keychain {
	k := &keychain{now: c.Now}
	if c.AccessKey != "" {
		v := credentials.Value{AccessKeyID: c.AccessKey, SecretAccessKey: c.SecretKey, SessionToken: c.SessionToken, SignerType: credentials.SignatureV4}
		k.sources = []keySource{{"settings", &credentials.Static{Value: v}}}
		k.remember(v)
	} else {
		k.sources = []keySource{{"environment", &envKeys{}}, {"shared file", &credentials.FileAWSCredentials{Filename: c.CredentialsFile, Profile: c.Profile}}}
		if disabled, _ := os.LookupEnv("AWS_EC2_METADATA_DISABLED"); !strings.EqualFold(disabled, "true") || hasRole() {
			role := &credentials.IAM{Expiry: credentials.Expiry{CurrentTime: c.Now}, Endpoint: c.IdentityEndpoint, Region: c.Region, Client: &http.Client{Timeout: identityTimeout}}
			k.sources = append(k.sources, keySource{"role", role})
		}
	}
	k.credentials = credentials.New(k)
	return k
}

// hasRole reports whether the environment names a role that is not the machine's.
func hasRole() bool {
	for _, name := range []string{"AWS_WEB_IDENTITY_TOKEN_FILE", "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI", "AWS_CONTAINER_CREDENTIALS_FULL_URI"} {
		if os.Getenv(name) != "" {
			return true
		}
	}
	return false
}

// envKeys are the credentials of the environment, whole or not at all.
type envKeys struct{ credentials.EnvAWS }

func (e *envKeys) RetrieveWithCredContext(c *credentials.CredContext) (credentials.Value, error) {
	v, err := e.EnvAWS.RetrieveWithCredContext(c)
	if err == nil && (v.AccessKeyID == "" || v.SecretAccessKey == "") {
		err = errors.New("AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY are not both set")
	}
	return v, err
}

// Retrieve finds or renews the credentials.
func (k *keychain) Retrieve() (credentials.Value, error) { return k.RetrieveWithCredContext(nil) }

// RetrieveWithCredContext finds or renews the credentials.
func (k *keychain) RetrieveWithCredContext(c *credentials.CredContext) (credentials.Value, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	v, err := k.find(c)
	switch {
	case err == nil:
		k.value, k.retryAt = v, time.Time{}
		k.rememberLocked(v)
		return v, nil
	case k.value.Expiration.After(k.now()):
		k.retryAt = k.now().Add(againAfter)
		return k.value, nil
	}
	return credentials.Value{}, err
}

func (k *keychain) find(c *credentials.CredContext) (credentials.Value, error) {
	if k.source != nil {
		return k.source.RetrieveWithCredContext(c)
	}
	missing := &noCredentialsError{}
	for _, s := range k.sources {
		v, err := s.RetrieveWithCredContext(c)
		if err == nil && (v.AccessKeyID == "" || v.SecretAccessKey == "") {
			err = errors.New("has none")
		}
		if err == nil {
			k.source = s.Provider
			return v, nil
		}
		missing.tried = append(missing.tried, fmt.Sprintf("%s: %v", s.name, err))
	}
	return credentials.Value{}, missing
}

// IsExpired reports whether it is time to renew.
func (k *keychain) IsExpired() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	if !k.retryAt.IsZero() {
		return !k.now().Before(k.retryAt)
	}
	return k.source == nil || k.source.IsExpired()
}

func (k *keychain) remember(v credentials.Value) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.rememberLocked(v)
}

// rememberLocked keeps the secrets of now and of the time before.
func (k *keychain) rememberLocked(v credentials.Value) {
	for _, secret := range []string{v.SecretAccessKey, v.SessionToken} {
		if secret != "" {
			k.secrets = append(k.secrets, secret)
		}
	}
	k.secrets = k.secrets[max(0, len(k.secrets)-4):]
}

// hide takes secrets out of a text.
func (k *keychain) hide(text string) string {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, secret := range k.secrets {
		text = strings.ReplaceAll(text, secret, "***")
	}
	return text
}
