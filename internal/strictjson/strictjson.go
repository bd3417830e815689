// Package strictjson reads the JSON files that a program keeps for itself: each says its format, and what is not known is refused, never guessed.
package strictjson

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// Decode reads a file that is one JSON object with a field "format". Another format and unknown fields are errors. Numbers in fields of any type
// become json.Number, as they may lie beyond 2^53.
func Decode(name string, body []byte, format int, into any) error {
	var head struct{ Format int }
	if err := json.Unmarshal(body, &head); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	if head.Format != format {
		return fmt.Errorf("%s has format %d, this program reads format %d: use the version that wrote it", name, head.Format, format)
	}
	d := json.NewDecoder(bytes.NewReader(body))
	d.DisallowUnknownFields()
	d.UseNumber()
	if err := d.Decode(into); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// Encode writes such a file, for people to read, too.
func Encode(content any) ([]byte, error) {
	body, err := json.MarshalIndent(content, "", " ")
	return append(body, '\n'), err
}
