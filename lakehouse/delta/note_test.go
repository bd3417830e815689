package delta

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lakewheel/lakewheel/columnar"
	"github.com/lakewheel/lakewheel/lakehouse"
	"github.com/lakewheel/lakewheel/lakehouse/store"
)

// requireSameHead asserts that a start which goes by notes knows what a replay knows, but for the number of files.
func requireSameHead(t *testing.T, objects store.Store, byNote bool) {
	t.Helper()
	want, err := open(objects).replaySnapshot(t.Context())
	require.NoError(t, err)
	got, err := open(objects).Snapshot(t.Context())
	require.NoError(t, err)
	if byNote {
		require.Equal(t, -1, got.Files, "it went by a note")
		want.Files = -1
	}
	require.Equal(t, want, got)
}

// foreign puts an entry of another program.
func foreign(t *testing.T, objects store.Store, lines ...string) {
	snap, err := open(objects).Snapshot(t.Context())
	require.NoError(t, err)
	require.NoError(t, objects.Put(t.Context(), entryName(snap.Version+1), []byte(strings.Join(lines, "\n"))))
}

// What others did since our newest entry counts on top of its note.
func TestNotesAndForeignEntries(t *testing.T) {
	objects := store.NewMem()
	create(t, open(objects), 3)
	requireSameHead(t, objects, true)
	foreign(t, objects, `{"commitInfo":{"operation":"WRITE"}}`, `{"add":{"path":"x.parquet","partitionValues":{},"size":1,"modificationTime":2,"dataChange":true}}`)
	requireSameHead(t, objects, true)
	foreign(t, objects, `{"protocol":{"minReaderVersion":1,"minWriterVersion":7,"writerFeatures":["newShiny"]}}`, `{"txn":{"appId":"other","version":5}}`,
		`{"domainMetadata":{"domain":"d","configuration":"{}","removed":false}}`)
	requireSameHead(t, objects, true)
	snap, err := open(objects).Snapshot(t.Context())
	require.NoError(t, err)
	require.ErrorContains(t, snap.Unusable, "newShiny")
	for range maxNoted {
		foreign(t, objects, `{"commitInfo":{"operation":"WRITE"}}`)
	}
	requireSameHead(t, objects, false)
}

// A note that is damaged, or that came from elsewhere, is none.
func TestNotesThatMeanNothing(t *testing.T) {
	for name, change := range map[string]func(note map[string]any) any{
		"no object":                 func(map[string]any) any { return 7 },
		"of another version":        func(n map[string]any) any { n["version"] = 7; return n },
		"without protocol":          func(n map[string]any) any { delete(n, "protocol"); return n },
		"with a wrong kind of txns": func(n map[string]any) any { n["txns"] = "x"; return n },
	} {
		t.Run(name, func(t *testing.T) {
			objects := store.NewMem()
			create(t, open(objects), 1)
			requireSameHead(t, objects, false)
			body := addedEntry(t, objects)
			head, rest, _ := strings.Cut(body, "\n")
			var info map[string]map[string]any
			require.NoError(t, json.Unmarshal([]byte(head), &info))
			info["commitInfo"][noteKey] = change(info["commitInfo"][noteKey].(map[string]any))
			text, err := json.Marshal(info)
			require.NoError(t, err)
			require.NoError(t, objects.Put(t.Context(), entryName(1), []byte(string(text)+"\n"+rest)))
			requireSameHead(t, objects, false)
		})
	}
}

// addedEntry commits once more, and returns the entry.
func addedEntry(t *testing.T, objects store.Store) string {
	tab := open(objects)
	snap, err := tab.Snapshot(t.Context())
	require.NoError(t, err)
	snap, err = tab.Commit(t.Context(), snap, change(snap.Version+1, nil))
	require.NoError(t, err)
	body, _, err := objects.Get(context.Background(), entryName(snap.Version))
	require.NoError(t, err)
	return string(body)
}

// A table with very many columns has a note now and then, and is found by it.
func TestNotesOfWideTables(t *testing.T) {
	wide := &columnar.Schema{}
	for i := range 200 {
		wide.Fields = append(wide.Fields, columnar.Field{Name: fmt.Sprintf("column_%d", i), Type: columnar.BigInt, Nullable: true})
	}
	objects := store.NewMem()
	tab := open(objects)
	snap, err := tab.Snapshot(t.Context())
	require.NoError(t, err)
	c := change(0, []lakehouse.DataFile{{Path: "a.parquet", Rows: 1}})
	c.Create = &lakehouse.Creation{ID: "6ba7b810-9dad-11d1-80b4-00c04fd430c8", Schema: wide}
	_, err = tab.Commit(t.Context(), snap, c)
	require.NoError(t, err)
	for v := int64(1); v < 40; v++ {
		require.Equal(t, v%noteEvery == 0, strings.Contains(addedEntry(t, objects), noteKey), "version %d", v)
		requireSameHead(t, objects, v >= noteEvery)
	}
}
