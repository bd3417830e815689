package sqltext

import (
	"errors"
	"math"
	"strings"
)

// Words is an interval in words, such as 1 day 2 hours: months, days and microseconds are
// apart, since they do not convert into each other.
type Words struct {
	Months, Days int32
	Micros       int64
	Units        []string // those that were named, in lower case and in the singular
}

// Reasons why an interval in words is refused.
var (
	ErrIntervalFraction = errors.New("only seconds can have a fraction")
	ErrIntervalUnit     = errors.New("there is no such unit")
	ErrIntervalNumber   = errors.New("a number is expected")
	ErrIntervalValue    = errors.New("a number has other characters in it")
)

// wordUnits gives the factor of each unit: to months if positive and calendar, else to days or microseconds.
var wordUnits = map[string]struct {
	part byte // m, d or u
	size int64
}{
	"year": {'m', 12}, "month": {'m', 1}, "week": {'d', 7}, "day": {'d', 1},
	"hour": {'u', Hour}, "minute": {'u', Minute}, "second": {'u', Second}, "millisecond": {'u', 1000}, "microsecond": {'u', 1},
}

// ParseWords reads [interval] ([+-] n unit)..., as Spark reads '1 day -2 hours'.
func ParseWords(text string) (Words, error) {
	fields := strings.Fields(strings.ToLower(separateSigns(text)))
	var w Words
	if len(fields) > 0 && fields[0] == "interval" {
		fields = fields[1:]
	}
	if len(fields) == 0 {
		return w, ErrIntervalNumber
	}
	for len(fields) > 0 {
		negative := fields[0] == "-"
		if negative || fields[0] == "+" {
			fields = fields[1:]
		}
		if len(fields) < 2 {
			return w, missing(fields)
		}
		if err := w.add(negative, fields[0], fields[1]); err != nil {
			return w, err
		}
		fields = fields[2:]
	}
	return w, nil
}

// missing says what lacks at the end: a unit, or a number before it.
func missing(fields []string) error {
	if len(fields) == 0 || fields[0][0]-'0' > 9 {
		return ErrIntervalNumber
	}
	return ErrSyntax
}

// separateSigns puts a space after each sign that begins a word.
func separateSigns(text string) string {
	var b strings.Builder
	begin := true
	for _, c := range text {
		b.WriteRune(c)
		if begin && (c == '-' || c == '+') {
			b.WriteByte(' ')
		}
		begin = c <= ' '
	}
	return b.String()
}

func (w *Words) add(negative bool, number, unit string) error {
	whole, fraction, err := wordNumber(number)
	if err != nil {
		return err
	}
	name := strings.TrimSuffix(unit, "s")
	u, ok := wordUnits[name]
	if !ok {
		return ErrIntervalUnit
	}
	if fraction >= 0 && name != "second" {
		return ErrIntervalFraction
	}
	if negative {
		whole, fraction = -whole, -fraction
	}
	w.Units = append(w.Units, name)
	switch u.part {
	case 'm':
		return addTo(&w.Months, whole, u.size)
	case 'd':
		return addTo(&w.Days, whole, u.size)
	}
	micros, ok := multiply(whole, u.size)
	if name == "second" && strings.Contains(number, ".") && ok {
		micros += fraction
	}
	sum := w.Micros + micros
	if !ok || (w.Micros^sum)&(micros^sum) < 0 {
		return ErrIntervalRange
	}
	w.Micros = sum
	return nil
}

// wordNumber reads digits[.digits]; fraction is in microseconds, -1 if there is none.
func wordNumber(s string) (whole, fraction int64, err error) {
	digits, after, pointed := strings.Cut(s, ".")
	if pointed && (len(after) > 9 || digits == "" && after == "") || !pointed && digits == "" {
		return 0, 0, ErrIntervalNumber
	}
	for _, c := range []byte(digits) {
		d := int64(c - '0')
		if c-'0' > 9 {
			return 0, 0, wordFault(s)
		}
		if whole > (math.MaxInt64-d)/10 {
			return 0, 0, ErrIntervalRange
		}
		whole = whole*10 + d
	}
	if !pointed {
		return whole, -1, nil
	}
	fraction, rest := parseFraction([]byte("." + after))
	if len(rest) > 0 {
		return 0, 0, ErrIntervalValue
	}
	return whole, fraction, nil
}

func wordFault(number string) error {
	if number[0]-'0' > 9 {
		return ErrIntervalNumber
	}
	return ErrIntervalValue
}

func addTo(sum *int32, n, size int64) error {
	product, ok := multiply(n, size)
	total := int64(*sum) + product
	if !ok || product != int64(int32(product)) || total != int64(int32(total)) {
		return ErrIntervalRange
	}
	*sum = int32(total)
	return nil
}

func multiply(a, b int64) (int64, bool) {
	product := a * b
	return product, a == 0 || product/a == b && !(a == -1 && b == math.MinInt64)
}

// Duration is the interval in microseconds; false if it has months or leaves 64 bits.
func (w *Words) Duration() (us int64, ok bool) {
	days := int64(w.Days) * (Day / Second)
	micros, ok := multiply(days, Second)
	sum := micros + w.Micros
	return sum, ok && w.Months == 0 && (micros^sum)&(w.Micros^sum) >= 0
}
