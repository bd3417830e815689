package compute

import (
	"bytes"
	"net/netip"
	"strconv"
	"unicode"
	"unicode/utf8"
)

// uri is a URI taken apart by the rules of java.net.URI: RFC 2396 with IPv6 addresses and
// with visible characters beyond ASCII where escapes may stand. A part is nil if it is absent.
type uri struct {
	scheme, authority, userInfo, host, path, query, fragment []byte
}

// part returns a part by the name that parse_url has for it.
func (u *uri) part(name string) (value []byte, ok bool) {
	switch name {
	case "HOST":
		value = u.host
	case "PATH":
		value = u.path
	case "QUERY":
		value = u.query
	case "REF":
		value = u.fragment
	case "PROTOCOL":
		value = u.scheme
	case "AUTHORITY":
		value = u.authority
	case "USERINFO":
		value = u.userInfo
	case "FILE":
		if value = u.path; u.query != nil {
			value = append(append(bytes.Clone(u.path), '?'), u.query...)
		}
	}
	return value, value != nil
}

// charClass says which ASCII characters may stand at a place.
type charClass [128]bool

func classOf(signs string) *charClass {
	c := &charClass{}
	for _, r := range "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ" + signs {
		c[r] = true
	}
	return c
}

const unreserved = "_-!.~'()*"

var (
	schemeClass   = classOf("+-.")
	uricClass     = classOf(unreserved + ";/?:@&=+$,[]")
	pathClass     = classOf(unreserved + ":@&=+$,;/")
	userClass     = classOf(unreserved + ";:&=+$,")
	registryClass = classOf(unreserved + "$,;:@&=+")
	serverClass   = classOf(unreserved + ";:&=+$,@[]%")
	scopeClass    = classOf("_.")
	labelClass    = classOf("-")
)

// allows reports whether text holds only characters of a class, escapes (%41) and
// visible characters beyond ASCII.
func (c *charClass) allows(text []byte) bool {
	for at := 0; at < len(text); {
		b := text[at]
		switch {
		case b < utf8.RuneSelf && c[b]:
			at++
		case b == '%':
			if at+3 > len(text) || digitValue(text[at+1]) > 15 || digitValue(text[at+2]) > 15 {
				return false
			}
			at += 3
		case b < utf8.RuneSelf:
			return false
		default:
			r, size := utf8.DecodeRune(text[at:])
			if unicode.In(r, unicode.Z, unicode.Cc) {
				return false
			}
			at += size
		}
	}
	return true
}

// plain reports whether text holds only characters of a class.
func (c *charClass) plain(text []byte) bool {
	for _, b := range text {
		if b >= utf8.RuneSelf || !c[b] {
			return false
		}
	}
	return true
}

func isLetter(b byte) bool { return letter(b) != 0 }

// parse takes text apart; false if it is no URI.
func (u *uri) parse(text []byte) bool {
	*u = uri{}
	rest, fragment, marked := bytes.Cut(text, []byte{'#'})
	if marked {
		u.fragment = nonNil(fragment)
	}
	if !uricClass.allows(fragment) {
		return false
	}
	if k := bytes.IndexAny(rest, ":/?"); k >= 0 && rest[k] == ':' {
		u.scheme = rest[:k]
		if k == 0 || !isLetter(rest[0]) || !schemeClass.plain(u.scheme) {
			return false
		}
		if rest = rest[k+1:]; len(rest) == 0 || rest[0] != '/' {
			return len(rest) > 0 && uricClass.allows(rest)
		}
	}
	return u.hierarchical(rest)
}

// nonNil keeps an empty part apart from an absent one.
func nonNil(b []byte) []byte {
	if b == nil {
		return []byte{}
	}
	return b
}

// hierarchical reads [//authority][path][?query].
func (u *uri) hierarchical(rest []byte) bool {
	if bytes.HasPrefix(rest, []byte("//")) {
		rest = rest[2:]
		k := bytes.IndexAny(rest, "/?")
		if k < 0 {
			k = len(rest)
		}
		if k > 0 && !u.parseAuthority(rest[:k]) || k == 0 && len(rest) == 0 && u.fragment == nil {
			return false
		}
		rest = rest[k:]
	}
	path, query, asked := bytes.Cut(rest, []byte{'?'})
	u.path = nonNil(path)
	if asked {
		u.query = nonNil(query)
	}
	return pathClass.allows(path) && uricClass.allows(query)
}

// parseAuthority takes what is no [user@]host[:port] for a name of a registry, if it may be one.
func (u *uri) parseAuthority(text []byte) bool {
	u.authority = text
	if serverClass.allows(text) && u.parseServer(text) {
		return true
	}
	u.userInfo, u.host = nil, nil
	return registryClass.allows(text)
}

func (u *uri) parseServer(text []byte) bool {
	if k := bytes.IndexByte(text, '@'); k >= 0 {
		u.userInfo = text[:k:k]
		if !userClass.allows(u.userInfo) {
			return false
		}
		text = text[k+1:]
	}
	n, ok := hostLength(text)
	if !ok {
		return false
	}
	u.host = text[:n]
	port := text[n:]
	return len(port) == 0 || port[0] == ':' && validPort(port[1:])
}

func validPort(digits []byte) bool {
	for _, c := range digits {
		if c < '0' || c > '9' {
			return false
		}
	}
	_, err := strconv.ParseInt(string(digits), 10, 32)
	return err == nil || len(digits) == 0
}

// hostLength finds the end of a host name or address.
func hostLength(text []byte) (int, bool) {
	if len(text) > 0 && text[0] == '[' {
		k := bytes.IndexByte(text, ']')
		if k < 0 {
			return 0, false
		}
		address, scope, scoped := bytes.Cut(text[1:k], []byte{'%'})
		ip, err := netip.ParseAddr(string(address))
		return k + 1, err == nil && ip.Is6() && (!scoped || len(scope) > 0 && scopeClass.plain(scope))
	}
	k := bytes.IndexByte(text, ':')
	if k < 0 {
		k = len(text)
	}
	return k, validIPv4(text[:k]) || validHostname(text[:k])
}

// validIPv4 allows zeros at the start of a number, as Java does.
func validIPv4(text []byte) bool {
	numbers, v, digits := 1, 0, 0
	for _, c := range text {
		switch {
		case c == '.' && digits > 0:
			numbers, v, digits = numbers+1, 0, 0
			continue
		case c < '0' || c > '9':
			return false
		}
		if v, digits = 10*v+int(c-'0'), digits+1; v > 255 {
			return false
		}
	}
	return numbers == 4 && digits > 0
}

// validHostname checks labels of letters, digits and dashes; the last of several begins with a letter.
func validHostname(text []byte) bool {
	rest := bytes.TrimSuffix(text, []byte{'.'})
	for several := false; ; several = true {
		k := bytes.IndexByte(rest, '.')
		label := rest
		if k >= 0 {
			label = rest[:k]
		}
		if len(label) == 0 || !labelClass.plain(label) || label[0] == '-' || label[len(label)-1] == '-' {
			return false
		}
		if k < 0 {
			return !several || isLetter(label[0])
		}
		rest = rest[k+1:]
	}
}
