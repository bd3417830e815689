package store

import (
	"context"
	"fmt"
	"strings"

	"github.com/minio/minio-go/v7/pkg/lifecycle"
)

// uploadDays is how long a bucket should keep an upload that is not completed; one may wait as long as its batch.
const uploadDays = 2

// lifecycleWarnings are about rules that remove what a table still needs. Who may not see the rules gets none.
func (s *S3) lifecycleWarnings(ctx context.Context) []string {
	var config *lifecycle.Configuration
	a, _ := s.attempt(ctx, "GET rules of", s.prefix, 0, func(ctx context.Context) (err error) {
		config, err = s.client.GetBucketLifecycle(ctx, s.bucket)
		return err
	})
	if a != done {
		return nil
	}
	return ruleWarnings(s.String(), s.prefix, config.Rules)
}

func ruleWarnings(place, prefix string, rules []lifecycle.Rule) (out []string) {
	for _, r := range rules {
		if !strings.EqualFold(r.Status, "Enabled") || !touches(rulePrefix(r), prefix) {
			continue
		}
		if days := int(r.AbortIncompleteMultipartUpload.DaysAfterInitiation); days > 0 && days < uploadDays {
			out = append(out, fmt.Sprintf("lifecycle rule %q of the bucket gives up uploads after %d day, which can take files from a batch at %s: give them at least %d days", r.ID, days, place, uploadDays))
		}
		if e := r.Expiration; !e.IsNull() && (e.Days > 0 || !e.Date.IsZero() || e.DeleteAll.IsEnabled()) {
			out = append(out, fmt.Sprintf("lifecycle rule %q of the bucket removes objects that grow old, also live files of the table at %s: take its prefix out of the rule", r.ID, place))
		}
	}
	return out
}

func rulePrefix(r lifecycle.Rule) string {
	for _, p := range []string{r.RuleFilter.Prefix, r.RuleFilter.And.Prefix, r.Prefix} {
		if p != "" {
			return p
		}
	}
	return ""
}

// touches reports whether a rule's prefix covers some names of a folder.
func touches(rule, folder string) bool {
	return strings.HasPrefix(folder+"/", rule) || strings.HasPrefix(rule, folder+"/") || folder == ""
}
