package compute

import (
	"fmt"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/columnar/internal/sqltext"
)

var zoneFunctions = []function{
	entry("from_utc_timestamp", "from_utc_timestamp(t, zone)", "The local time of a zone at the UTC time t.", "from_utc_timestamp(TIMESTAMP'2024-02-29 12:00:00', 'Asia/Tokyo')", 2, 2, bindZoneShift(fromUTC)),
	entry("to_utc_timestamp", "to_utc_timestamp(t, zone)", "The UTC time at the local time t of a zone.", "to_utc_timestamp(TIMESTAMP'2024-02-29 12:00:00', 'Asia/Tokyo')", 2, 2, bindZoneShift(toUTC)),
	entry("convert_timezone", "convert_timezone([from, ]to, t)", "A local time of one zone, UTC by default, as that of another.", "convert_timezone('Europe/Paris', 'Asia/Tokyo', TIMESTAMP_NTZ'2024-02-29 12:00:00')", 2, 3, bindConvertZone),
}

func fromUTC(us int64, zone sqltext.Zone) int64 { return us + zone.OffsetAt(us) }
func toUTC(us int64, zone sqltext.Zone) int64   { return us - zone.OffsetLocal(us) }

// zone is the zone that an argument names in a row; a name that is none fails the row,
// that of a try_ function too.
func (f *frame) zone(row int32, v *vector) (sqltext.Zone, bool) {
	name := v.bytesAt(row)
	zone, ok := sqltext.ParseZone(name)
	if !ok || len(name) == 0 {
		f.setNull(f.out, row)
		f.report(row, &EvalError{"INVALID_TIMEZONE", fmt.Sprintf("The timezone: '%s' is invalid. It must be a region-based zone ID or a zone offset.", clipped(name))})
		return zone, false
	}
	return zone, true
}

// mostZones bounds how many names of zones of a column are kept at a time.
const mostZones = 64

// zones are the zones of the rows of an argument, each name read once.
func (f *frame) zones(v *vector) func(row int32) (sqltext.Zone, bool) {
	known := map[string]sqltext.Zone{}
	return func(row int32) (sqltext.Zone, bool) {
		if zone, ok := known[string(v.bytesAt(row))]; ok {
			return zone, true
		}
		zone, ok := f.zone(row, v)
		if len(known) >= mostZones {
			clear(known)
		}
		if ok {
			known[string(v.bytesAt(row))] = zone
		}
		return zone, ok
	}
}

func bindZoneShift(shift func(int64, sqltext.Zone) int64) func(string, []Expr) (Expr, error) {
	run := func(f *frame) {
		in, m, out := slice[int64](f.args[0]), f.args[0].mask(), slice[int64](f.out)
		zones := f.zones(f.args[1])
		for _, i := range f.rows {
			if zone, ok := zones(i); ok {
				out[i] = shift(in[i&m], zone)
			}
		}
	}
	return bindSimple(columnar.Timestamp, run, columnar.Timestamp, columnar.String)
}

func bindConvertZone(name string, args []Expr) (Expr, error) {
	if len(args) == 2 {
		args = []Expr{Text("UTC"), args[0], args[1]}
	}
	run := func(f *frame) {
		in, m, out := slice[int64](f.args[2]), f.args[2].mask(), slice[int64](f.out)
		from, to := f.zones(f.args[0]), f.zones(f.args[1])
		for _, i := range f.rows {
			source, ok := from(i)
			if !ok {
				continue
			}
			if target, ok := to(i); ok {
				out[i] = fromUTC(toUTC(in[i&m], source), target)
			}
		}
	}
	return bindSimple(columnar.TimestampNTZ, run, columnar.String, columnar.String, columnar.TimestampNTZ)(name, args)
}
