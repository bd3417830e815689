package compute

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/lakewheel/lakewheel/columnar"
)

// numberFormat is a format of to_number and to_char: [MI|S][$]digits[.digits][MI|S][PR],
// where digits are runs of 9 and 0 with commas between them.
type numberFormat struct {
	lead, trail string // "", "S" or "MI"
	dollar      bool
	angle       bool         // PR: negative numbers stand in < and >
	whole       []digitGroup // between commas
	point       bool
	fraction    []digitGroup
}

// digitGroup is a run of digits. One that begins with 0 has all of them, others may have fewer.
type digitGroup struct {
	count int
	exact bool
}

func formatFault(name, condition, format string, why string) error {
	return &TypeError{"INVALID_FORMAT." + condition, fmt.Sprintf("%s: the format '%s' is invalid: %s.", name, clipped([]byte(format)), why)}
}

// parseNumberFormat checks a format in the order in which Spark does.
func parseNumberFormat(name, text string) (*numberFormat, error) {
	s := strings.NewReplacer("G", ",", "D", ".").Replace(strings.ToUpper(text))
	digit, dollar, point := strings.IndexAny(s, "09"), strings.IndexByte(s, '$'), strings.IndexByte(s, '.')
	switch {
	case s == "":
		return nil, formatFault(name, "EMPTY", text, "it is empty")
	case digit < 0:
		return nil, formatFault(name, "WRONG_NUM_DIGIT", text, "it needs a 0 or 9")
	case dollar > digit:
		return nil, formatFault(name, "CUR_MUST_BEFORE_DIGIT", text, "$ should stand before the digits")
	case dollar >= 0 && point >= 0 && dollar > point:
		return nil, formatFault(name, "CUR_MUST_BEFORE_DEC", text, "$ should stand before the point")
	case point >= 0 && strings.IndexByte(s[point:], ',') >= 0:
		return nil, formatFault(name, "THOUSANDS_SEPS_MUST_BEFORE_DEC", text, "commas should stand before the point")
	case loneComma(s):
		return nil, formatFault(name, "CONT_THOUSANDS_SEPS", text, "a comma should stand between digits")
	}
	for _, token := range []string{".", "$", "S", "MI", "PR"} {
		if strings.Count(s, token) > 1 {
			return nil, formatFault(name, "WRONG_NUM_TOKEN", text, token+" should stand once")
		}
	}
	f := &numberFormat{}
	if rest := f.tokens(s); rest != "" {
		return nil, formatFault(name, "UNEXPECTED_TOKEN", text, fmt.Sprintf("'%s' should not stand there", rest))
	}
	return f, nil
}

// loneComma reports whether a comma lacks a digit on one side.
func loneComma(s string) bool {
	for k := range len(s) {
		if s[k] == ',' && (k == 0 || k == len(s)-1 || !formatDigit(s[k-1]) || !formatDigit(s[k+1])) {
			return true
		}
	}
	return false
}

func formatDigit(c byte) bool { return c == '0' || c == '9' }

// tokens reads a format and returns what it cannot place.
func (f *numberFormat) tokens(s string) string {
	take := func(token string) bool {
		rest, ok := strings.CutPrefix(s, token)
		s = rest
		return ok
	}
	sign := func() string {
		for _, token := range []string{"MI", "S"} {
			if take(token) {
				return token
			}
		}
		return ""
	}
	f.lead = sign()
	f.dollar = take("$")
	f.whole, s = digitGroups(s)
	if f.point = take("."); f.point {
		f.fraction, s = digitGroups(s)
	}
	if f.lead == "" {
		f.trail = sign()
	}
	if f.trail == "" {
		f.angle = take("PR")
	}
	return s
}

func digitGroups(s string) (groups []digitGroup, rest string) {
	for k := 0; ; {
		for k < len(s) && formatDigit(s[k]) {
			k++
		}
		if k > 0 {
			groups = append(groups, digitGroup{k, s[0] == '0'})
		}
		if k == len(s) || s[k] != ',' {
			return groups, s[k:]
		}
		s, k = s[k+1:], 0
	}
}

func digitCount(groups []digitGroup) (n int) {
	for _, g := range groups {
		n += g.count
	}
	return n
}

// decimal is the type of the numbers that a format reads.
func (f *numberFormat) decimal(name string) (columnar.Type, error) {
	scale := digitCount(f.fraction)
	precision := digitCount(f.whole) + scale
	if precision > maxDigits {
		return columnar.Type{}, &TypeError{"DECIMAL_PRECISION_EXCEEDS_MAX_PRECISION", fmt.Sprintf("%s: the format has %d digits, a DECIMAL at most %d.", name, precision, maxDigits)}
	}
	return columnar.Decimal(precision, scale), nil
}

// parse appends the number that a text denotes, as plain digits; false if it does not fit
// the format.
func (f *numberFormat) parse(dst, s []byte) ([]byte, bool) {
	take := func(c byte) bool {
		if len(s) == 0 || s[0] != c {
			return false
		}
		s = s[1:]
		return true
	}
	opened := f.angle && take('<')
	negative := f.lead != "" && take('-')
	if f.lead == "S" && !negative {
		take('+')
	}
	if f.dollar && !take('$') {
		return dst, false
	}
	dst = append(dst, '-')
	from := len(dst)
	counts, rest := groupCounts(&dst, s)
	if s = rest; !fits(f.whole, counts) {
		return dst, false
	}
	if f.point && take('.') {
		dst = append(dst, '.')
		counts, rest = groupCounts(&dst, s)
		if s = rest; len(counts) > 1 || counts[0] > digitCount(f.fraction) {
			return dst, false
		}
	}
	if f.trail != "" {
		negative = take('-')
		if f.trail == "S" && !negative {
			take('+')
		}
	}
	if opened && !take('>') || len(s) > 0 {
		return dst, false
	}
	if !negative && !opened {
		dst = append(dst[:from-1], dst[from:]...)
	}
	return dst, true
}

// groupCounts appends digits and counts them between commas; white space is skipped.
func groupCounts(dst *[]byte, s []byte) (counts []int, rest []byte) {
	counts = []int{0}
	for len(s) > 0 {
		switch c := s[0]; {
		case c >= '0' && c <= '9':
			*dst = append(*dst, c)
			counts[len(counts)-1]++
		case c == ',':
			counts = append(counts, 0)
		case c != ' ' && (c < '\t' || c > '\r'):
			return counts, s
		}
		s = s[1:]
	}
	return counts, s
}

// fits compares groups from the right; what is missing on the left counts as empty.
func fits(groups []digitGroup, counts []int) bool {
	if len(counts) > max(len(groups), 1) {
		return false
	}
	for k := range max(len(groups), len(counts)) {
		var want digitGroup
		have := 0
		if k < len(groups) {
			want = groups[len(groups)-1-k]
		}
		if k < len(counts) {
			have = counts[len(counts)-1-k]
		}
		if have > want.count || want.exact && have != want.count {
			return false
		}
	}
	return true
}

// print appends a number whose digits before and behind the point are given without
// zeros around them. Where they do not fit, # stands for each digit.
func (f *numberFormat) print(dst []byte, negative bool, whole, fraction string) []byte {
	w := formatWriter{dst: dst, from: len(dst)}
	if f.angle && negative {
		w.put('<')
	}
	w.sign(f.lead, negative)
	if f.dollar {
		w.put('$')
	}
	w.over = len(whole) > digitCount(f.whole) || len(fraction) > digitCount(f.fraction)
	w.whole(f.whole, whole)
	if f.point {
		w.decimals(f.fraction, fraction)
	}
	w.sign(f.trail, negative)
	switch {
	case f.angle && negative:
		w.put('>')
	case f.angle:
		w.dst = append(w.dst, "  "...)
	}
	return w.dst
}

// formatWriter prints behind from; over says that the number does not fit.
type formatWriter struct {
	dst  []byte
	from int
	over bool
}

func (w *formatWriter) put(c byte) { w.dst = append(w.dst, c) }

func (w *formatWriter) last() byte {
	if len(w.dst) == w.from {
		return 0
	}
	return w.dst[len(w.dst)-1]
}

// space stands before a sign that was just printed.
func (w *formatWriter) space() {
	if c := w.last(); bytes.IndexByte([]byte("+-<"), c) >= 0 && c != 0 {
		w.dst[len(w.dst)-1] = ' '
		w.put(c)
		return
	}
	w.put(' ')
}

func (w *formatWriter) sign(token string, negative bool) {
	switch {
	case token == "":
	case negative:
		w.put('-')
	case token == "S":
		w.put('+')
	default:
		w.put(' ')
	}
}

func (w *formatWriter) whole(groups []digitGroup, digits string) {
	missing := digitCount(groups) - len(digits)
	for k, g := range groups {
		if k > 0 {
			if c := w.last(); c >= '0' && c <= '9' {
				w.put(',')
			} else {
				w.space()
			}
		}
		for range g.count {
			switch {
			case w.over:
				w.put('#')
			case missing > 0 && g.exact:
				w.put('0')
			case missing > 0:
				w.space()
			default:
				w.put(digits[0])
				digits = digits[1:]
			}
			missing--
		}
	}
}

// decimals prints the point and what follows; a point that nothing follows is a space.
func (w *formatWriter) decimals(groups []digitGroup, digits string) {
	count := digitCount(groups)
	if count == 0 {
		w.put(' ')
		return
	}
	if w.last() == ' ' {
		w.dst[len(w.dst)-1] = '0'
	}
	w.put('.')
	for k := range count {
		switch {
		case w.over:
			w.put('#')
		case k < len(digits):
			w.put(digits[k])
		default:
			w.put('0')
		}
	}
}
