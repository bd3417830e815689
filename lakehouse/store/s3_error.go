package store

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/minio/minio-go/v7"
)

// s3Error is an error in words. It keeps nothing of what the client or the server said but its text, without secrets.
type s3Error struct {
	text   string
	status int
	code   string
	cause  error // of the context, or nil
}

func (e *s3Error) Error() string { return e.text }
func (e *s3Error) Unwrap() error { return e.cause }

// explain says what was asked, of what, and what came back.
func (s *S3) explain(ctx context.Context, op, key string, err error) error {
	what := op + " " + s.place(key)
	if ctx.Err() != nil {
		return &s3Error{text: what + ": " + ctx.Err().Error(), cause: ctx.Err()}
	}
	e := &s3Error{}
	var r minio.ErrorResponse
	var u *url.Error
	switch {
	case errors.As(err, &r):
		e.status, e.code = r.StatusCode, r.Code
		e.text = fmt.Sprintf("%s: %s", what, answerText(r))
	case errors.As(err, &u):
		e.text = fmt.Sprintf("%s: %s: %v", what, s.client.EndpointURL().Host, u.Err)
	default:
		e.text = fmt.Sprintf("%s: %v", what, err)
	}
	e.text = s.keys.hide(e.text)
	return e
}

// longestAnswer bounds what is shown of the text of a server.
const longestAnswer = 300

func answerText(r minio.ErrorResponse) string {
	text := strings.TrimSpace(strings.ToValidUTF8(r.Message, "?"))
	if len(text) > longestAnswer {
		text = strings.ToValidUTF8(text[:longestAnswer], "") + "..."
	}
	out := fmt.Sprintf("%s %s", r.Code, text)
	if r.StatusCode != 0 && !strings.HasPrefix(r.Code, fmt.Sprint(r.StatusCode)) {
		out = fmt.Sprintf("%d %s", r.StatusCode, out)
	}
	if r.RequestID != "" && len(r.RequestID) < 100 {
		out += " (request " + r.RequestID + ")"
	}
	if advice := adviceFor(r); advice != "" {
		out += ": " + advice
	}
	return strings.Join(strings.Fields(out), " ")
}

// adviceFor says what to do.
func adviceFor(r minio.ErrorResponse) string {
	switch {
	case r.Code == minio.NoSuchBucket:
		return "make the bucket first, or correct its name or the endpoint"
	case r.Code == "RequestTimeTooSkewed":
		return "set the clock of this machine"
	case r.Code == "InvalidAccessKeyId", r.Code == "SignatureDoesNotMatch":
		return "check the access key and the secret key"
	case r.StatusCode == http.StatusMovedPermanently, r.StatusCode == http.StatusTemporaryRedirect, r.Code == "AuthorizationHeaderMalformed":
		if r.Region != "" {
			return "the bucket is in region " + r.Region + ": set s3.region"
		}
		return "set s3.region to the region of the bucket"
	case r.StatusCode == http.StatusForbidden:
		return "the credentials need s3:GetObject, s3:PutObject, s3:DeleteObject, s3:AbortMultipartUpload on the prefix and s3:ListBucket on the bucket"
	}
	return ""
}

// unknownPut wraps the last thing that is known of a put whose outcome is not.
func (s *S3) unknownPut(key string, err error) error {
	return fmt.Errorf("%s: %w: %w", s.place(key), ErrUnknown, err)
}
