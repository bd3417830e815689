package timepattern

import (
	"strings"

	"github.com/lakewheel/lakewheel/columnar/internal/sqltext"
)

// abbreviation reads the short name of a zone, such as PST. Java knows more of them,
// some in a sense that nobody expects; those are refused.
func (r *reading) abbreviation(s []byte, at int) (int, bool) {
	end := at
	for end < len(s) && end-at < 8 && isLetter(rune(s[end])) {
		end++
	}
	id, ok := abbreviations[strings.ToUpper(string(s[at:end]))]
	r.alien = r.alien || !ok && end-at > 2
	return end, ok && r.setZoneID(id)
}

// fullName reads the full name of a zone, such as Pacific Standard Time.
func (r *reading) fullName(s []byte, at int) (int, bool) {
	for i := range fullNames {
		if end, ok := foldPrefix(s, at, fullNames[i].name); ok {
			return end, r.setZoneID(fullNames[i].id)
		}
	}
	r.alien = true
	return at, false
}

func (r *reading) setZoneID(id string) bool {
	zone, ok := sqltext.ParseZone([]byte(id))
	return ok && r.setZone(zone)
}

// abbreviations name a region with its summer time, whichever of its two they are.
var abbreviations = map[string]string{
	"PST": "America/Los_Angeles", "PDT": "America/Los_Angeles", "MST": "America/Denver", "MDT": "America/Denver", "CST": "America/Chicago", "CDT": "America/Chicago",
	"EST": "America/New_York", "EDT": "America/New_York", "AKST": "America/Anchorage", "AKDT": "America/Anchorage", "HST": "Pacific/Honolulu", "AST": "America/Halifax",
	"ADT": "America/Halifax", "NST": "America/St_Johns", "NDT": "America/St_Johns", "WET": "WET", "WEST": "WET", "CET": "Europe/Paris", "CEST": "Europe/Paris",
	"EET": "Europe/Athens", "EEST": "Europe/Athens", "MSK": "Europe/Moscow", "JST": "Asia/Tokyo", "KST": "Asia/Seoul", "SGT": "Asia/Singapore", "HKT": "Asia/Hong_Kong",
	"PKT": "Asia/Karachi", "NZST": "Pacific/Auckland", "NZDT": "Pacific/Auckland", "AEST": "Australia/Sydney", "AEDT": "Australia/Sydney", "AWST": "Australia/Perth",
	"SAST": "Africa/Johannesburg", "BRT": "America/Sao_Paulo", "ART": "America/Argentina/Buenos_Aires", "ICT": "Asia/Bangkok", "WIB": "Asia/Jakarta",
}

var fullNames = []struct{ name, id string }{
	{"Pacific Standard Time", "America/Los_Angeles"}, {"Pacific Daylight Time", "America/Los_Angeles"}, {"Pacific Time", "America/Los_Angeles"},
	{"Mountain Standard Time", "America/Denver"}, {"Mountain Daylight Time", "America/Denver"}, {"Mountain Time", "America/Denver"},
	{"Central Standard Time", "America/Chicago"}, {"Central Daylight Time", "America/Chicago"}, {"Central Time", "America/Chicago"},
	{"Eastern Standard Time", "America/New_York"}, {"Eastern Daylight Time", "America/New_York"}, {"Eastern Time", "America/New_York"},
	{"Central European Standard Time", "Europe/Paris"}, {"Central European Summer Time", "Europe/Paris"}, {"Central European Time", "Europe/Paris"},
	{"Japan Standard Time", "Asia/Tokyo"}, {"Japan Time", "Asia/Tokyo"}, {"India Standard Time", "Asia/Kolkata"},
	{"Coordinated Universal Time", "UTC"}, {"Greenwich Mean Time", "UTC"},
}
