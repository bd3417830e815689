package compute

import "github.com/zeebo/xxh3"

// repeats remembers what a test said of recent texts. Columns such as a country or the kind
// of an event hold few values, as a dictionary would: each is then tested once, whatever
// the test costs. The zero value is ready; it is for one run of a kernel.
type repeats struct {
	slots       [repeatSlots]repeat
	asked, hits int
}

type repeat struct {
	text []byte
	yes  byte
	set  bool
}

const (
	repeatSlots = 256
	// After so many texts the memory is given up unless half of them were known.
	repeatTrial = 512
)

// ask returns what test says of a text, which has to stay as it is.
// It keeps only answers that test is sure of.
func (r *repeats) ask(text []byte, test func(text []byte) (yes, sure bool)) byte {
	if r.asked >= repeatTrial && r.hits*2 < r.asked {
		yes, _ := test(text)
		return bit(yes)
	}
	s := &r.slots[xxh3.Hash(text)%repeatSlots]
	if r.asked < repeatTrial {
		r.asked++
	}
	if s.set && string(s.text) == string(text) {
		if r.hits < r.asked {
			r.hits++
		}
		return s.yes
	}
	yes, sure := test(text)
	*s = repeat{text, bit(yes), sure}
	return bit(yes)
}
