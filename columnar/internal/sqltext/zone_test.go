package sqltext

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestLocalTimes: a local time that is skipped, or there twice, has the offset before.
func TestLocalTimes(t *testing.T) {
	for _, c := range []struct {
		zone, local string
		want        time.Duration
	}{
		{"Europe/Paris", "2024-03-31 01:59:59", time.Hour}, {"Europe/Paris", "2024-03-31 02:30:00", time.Hour}, {"Europe/Paris", "2024-03-31 03:00:00", 2 * time.Hour},
		{"Europe/Paris", "2024-10-27 01:59:59", 2 * time.Hour}, {"Europe/Paris", "2024-10-27 02:30:00", 2 * time.Hour}, {"Europe/Paris", "2024-10-27 03:00:00", time.Hour},
		{"America/New_York", "2024-03-10 02:30:00", -5 * time.Hour}, {"America/New_York", "2024-11-03 01:30:00", -4 * time.Hour}, {"America/New_York", "2500-07-01 00:00:00", -4 * time.Hour},
		{"Australia/Lord_Howe", "2024-04-07 01:45:00", 11 * time.Hour}, {"Pacific/Apia", "2011-12-30 12:00:00", -10 * time.Hour}, {"Asia/Kolkata", "2024-01-01 00:00:00", 5*time.Hour + 30*time.Minute},
		{"+05:30", "2024-01-01 00:00:00", 5*time.Hour + 30*time.Minute}, {"UTC-3", "2024-01-01 00:00:00", -3 * time.Hour}, {"EST", "2024-07-01 00:00:00", -5 * time.Hour}, {"PST", "2024-07-01 00:00:00", -7 * time.Hour},
		{"Japan", "2024-07-01 00:00:00", 9 * time.Hour}, {"", "2024-07-01 00:00:00", 0}, {"Z", "2024-07-01 00:00:00", 0},
	} {
		zone, ok := ParseZone([]byte(c.zone))
		require.True(t, ok, c.zone)
		local, ok := ParseTimestampNTZ([]byte(c.local))
		require.True(t, ok)
		require.Equal(t, c.want.Microseconds(), zone.OffsetLocal(local), "%s %s", c.zone, c.local)
		at := local - zone.OffsetLocal(local)
		if c.local != "2024-03-31 02:30:00" && c.local != "2024-03-10 02:30:00" && c.zone != "Pacific/Apia" {
			require.Equal(t, zone.OffsetLocal(local), zone.OffsetAt(at), "%s %s", c.zone, c.local)
		}
	}
	for _, name := range []string{"Nowhere/City", "Europe/Nowhere", "Local", "localtime", "posix/UTC", "../UTC", "europe/paris", "+19", "UTC+25", "CESTT"} {
		_, ok := ParseZone([]byte(name))
		require.False(t, ok, name)
	}
	for _, name := range []string{"EUROPE/paris", "america/NEW_york", "japan", "Etc/GMT+5"} {
		_, ok := FoldRegion(name)
		require.True(t, ok, name)
	}
}

func TestClockText(t *testing.T) {
	now, _ := ParseTimestamp([]byte("2024-02-29 23:30:00"))
	for in, want := range map[string]string{
		"10:20:30": "2024-02-29 10:20:30", "T1:2": "2024-02-29 01:02:00", "T10": "2024-02-29 10:00:00", " 10:20:30.5 ": "2024-02-29 10:20:30.5", "10:20:30Z": "2024-02-29 10:20:30",
		"10:20:30+02:00": "2024-03-01 08:20:30", "10:20:30 America/New_York": "2024-02-29 15:20:30",
		"10": "", "T": "", "10:": "", "25:00": "", ":20": "", "10:20+02:00": "", "2024-01-01": "", "": "",
	} {
		us, ok := ParseClock([]byte(in), now)
		require.Equal(t, want != "", ok, in)
		if ok {
			require.Equal(t, want, string(AppendTimestamp(nil, us)), in)
		}
	}
}

// TestZonesAllocateNothing: a text with the name of a region costs nothing once it is known.
func TestZonesAllocateNothing(t *testing.T) {
	for _, s := range []string{"2024-01-01 10:20:30 Europe/Paris", "2024-01-01 10:20:30+02:00", "2024-01-01 10:20:30 UTC+3"} {
		text := []byte(s)
		require.Zero(t, testing.AllocsPerRun(100, func() { ParseTimestamp(text) }), s)
	}
}
