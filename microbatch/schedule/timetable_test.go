package schedule

import (
	"testing"
	"time"
	_ "time/tzdata"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
	"pgregory.net/rapid"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func zone(t testing.TB, name string) *time.Location {
	z, err := time.LoadLocation(name)
	require.NoError(t, err)
	return z
}

func at(t testing.TB, text string) time.Time {
	v, err := time.Parse("2006-01-02T15:04Z07:00", text)
	require.NoError(t, err)
	return v
}

// The times that follow each other, in the zone of the timetable.
func TestNext(t *testing.T) {
	for _, c := range []struct {
		cron, zone, after string
		want              []string
	}{
		{"*/15 * * * *", "UTC", "2026-01-01T10:07Z", []string{"2026-01-01T10:15Z", "2026-01-01T10:30Z"}},
		{"*/15 * * * *", "UTC", "2026-01-01T10:15Z", []string{"2026-01-01T10:30Z"}}, // strictly after
		{"0 3 * * *", "UTC", "2026-12-31T23:00Z", []string{"2027-01-01T03:00Z", "2027-01-02T03:00Z"}},
		{"@hourly", "UTC", "2026-01-01T10:07Z", []string{"2026-01-01T11:00Z"}},
		{"@daily", "Asia/Kolkata", "2026-01-01T10:07Z", []string{"2026-01-02T00:00+05:30"}},
		{"0 0 29 2 *", "UTC", "2026-01-01T00:00Z", []string{"2028-02-29T00:00Z"}},
		{"0 0 29 2 *", "UTC", "2096-03-01T00:00Z", []string{"2104-02-29T00:00Z"}}, // 2100 is no leap year
		{"0 9 * * mon-fri", "UTC", "2026-11-27T09:00Z", []string{"2026-11-30T09:00Z"}},
		{"0 0 13 * fri", "UTC", "2026-11-09T00:00Z", []string{"2026-11-13T00:00Z", "2026-11-20T00:00Z"}}, // either of them
		// Spring: 02:00 to 03:00 does not exist in Berlin on 28 March 2027.
		{"30 2 * * *", "Europe/Berlin", "2027-03-27T12:00+01:00", []string{"2027-03-29T02:30+02:00"}},
		{"30 1,3 * * *", "Europe/Berlin", "2027-03-27T12:00+01:00", []string{"2027-03-28T01:30+01:00", "2027-03-28T03:30+02:00"}},
		{"*/30 * * * *", "Europe/Berlin", "2027-03-28T01:30+01:00", []string{"2027-03-28T03:00+02:00", "2027-03-28T03:30+02:00"}},
		// Autumn: 02:00 to 03:00 comes twice on 31 October 2027.
		{"30 2 * * *", "Europe/Berlin", "2027-10-30T12:00+02:00", []string{"2027-10-31T02:30+02:00", "2027-10-31T02:30+01:00", "2027-11-01T02:30+01:00"}},
		// Half an hour on Lord Howe Island.
		{"15 2 * * *", "Australia/Lord_Howe", "2026-10-03T12:00+10:30", []string{"2026-10-05T02:15+11:00"}},
		// A day without a midnight, in Havana.
		{"0 0 * * *", "America/Havana", "2026-03-07T12:00-05:00", []string{"2026-03-09T00:00-04:00"}},
		{"0 1 8 3 *", "America/Havana", "2026-03-01T00:00-05:00", []string{"2026-03-08T01:00-04:00"}},
		{"0 5 9 3 *", "America/Havana", "2026-03-07T23:00-05:00", []string{"2026-03-09T05:00-04:00"}},
	} {
		table, err := Parse(c.cron, zone(t, c.zone), 0, "p")
		require.NoError(t, err, c.cron)
		from := at(t, c.after)
		for _, want := range c.want {
			from = table.Next(from)
			require.Equal(t, at(t, want).UTC(), from, "%s in %s after %s", c.cron, c.zone, c.after)
		}
	}
}

// What is no timetable.
func TestRefused(t *testing.T) {
	for cron, want := range map[string]string{
		"":                          "no cron expression",
		"* * * *":                   "no cron expression",
		"*/15 * * * * *":            "no cron expression",
		"61 * * * *":                "no cron expression",
		"@every 5m":                 "no fixed times",
		"CRON_TZ=UTC * * * * *":     "timezone:",
		"0 0 31 2 *":                "never comes",
		"@reboot":                   "no cron expression",
		"TZ=Europe/Paris 0 3 * * *": "timezone:",
	} {
		_, err := Parse(cron, time.UTC, 0, "p")
		require.ErrorContains(t, err, want, cron)
	}
}

// A name always has the same part of the jitter, names have different ones, and each lies within it.
func TestJitter(t *testing.T) {
	shifts := map[time.Duration]bool{}
	for _, name := range []string{"a", "b", "c", "orders", "orders_2", "page_counts"} {
		table, err := Parse("0 * * * *", time.UTC, time.Minute, name)
		require.NoError(t, err)
		again, err := Parse("0 * * * *", time.UTC, time.Minute, name)
		require.NoError(t, err)
		require.Equal(t, table.Shift(), again.Shift())
		require.True(t, table.Shift() >= 0 && table.Shift() < time.Minute && table.Shift()%time.Second == 0, "%s: %s", name, table.Shift())
		shifts[table.Shift()] = true
		require.Equal(t, at(t, "2026-01-01T11:00Z").Add(table.Shift()), table.Next(at(t, "2026-01-01T10:30Z")))
		// Within the jitter, the time is still to come.
		require.Equal(t, at(t, "2026-01-01T11:00Z").Add(table.Shift()), table.Next(at(t, "2026-01-01T11:00Z").Add(table.Shift()-1)))
	}
	require.Greater(t, len(shifts), 3)
}

// The changes of a clock that a timetable meets within a year.
func TestDaylight(t *testing.T) {
	for _, c := range []struct {
		cron, zone string
		want       []string
	}{
		{"30 2 * * *", "UTC", nil},
		{"30 2 * * *", "Asia/Kolkata", nil},
		{"30 4 * * *", "Europe/Berlin", nil},
		{"*/15 * * * *", "Europe/Berlin", nil}, // goes on every quarter of an hour
		{"30 2 * * *", "Europe/Berlin", []string{"2027-03-28: the clock changes, 02:30 is left out there, and so is the run", "2027-10-31: the clock changes, 02:30 comes twice there, and so does the run"}},
		{"30 2 * * mon", "Europe/Berlin", nil}, // clocks change on Sundays
		{"0 3 * * *", "Europe/Berlin", nil},
		{"0 */2 * * *", "America/New_York", []string{"2027-03-14: the clock changes, 02:00 is left out"}},
		{"30 1 * * *", "America/New_York", []string{"2027-11-07: the clock changes, 01:30 comes twice"}},
	} {
		table, err := Parse(c.cron, zone(t, c.zone), 0, "p")
		require.NoError(t, err)
		got := table.Daylight(at(t, "2026-11-30T00:00Z"), at(t, "2027-11-30T00:00Z"))
		require.Len(t, got, len(c.want), "%s in %s: %v", c.cron, c.zone, got)
		for i := range c.want {
			require.Contains(t, got[i], c.want[i])
		}
	}
}

// Every time is after the one before, and fits the expression.
func TestNextIsNextAnywhere(t *testing.T) {
	zones := []string{"UTC", "Europe/Berlin", "America/Havana", "Australia/Lord_Howe", "Africa/Casablanca", "Asia/Gaza", "Pacific/Apia"}
	rapid.Check(t, func(r *rapid.T) {
		z := zone(t, rapid.SampledFrom(zones).Draw(r, "zone"))
		cron := rapid.SampledFrom([]string{"*/7 * * * *", "0 0 * * *", "30 2 * * *", "15 1-3 * * sun", "0 */5 1,15 * *"}).Draw(r, "cron")
		table, err := Parse(cron, z, 0, "p")
		require.NoError(r, err)
		from := time.Unix(rapid.Int64Range(0, 2_000_000_000).Draw(r, "from"), 0)
		next := table.Next(from)
		require.True(r, next.After(from))
		require.True(r, table.fits(next.In(z)))
		for between := from.Truncate(time.Minute).Add(time.Minute); between.Before(next) && between.Sub(from) < 48*time.Hour; between = between.Add(time.Minute) {
			require.False(r, table.fits(between.In(z)), "%s was left out", between)
		}
	})
}

func (t Timetable) fits(wall time.Time) bool {
	return t.onDay(wall) && t.spec.Hour&(1<<wall.Hour()) != 0 && t.spec.Minute&(1<<wall.Minute()) != 0
}
