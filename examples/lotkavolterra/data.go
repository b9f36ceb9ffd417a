package main

import (
	_ "embed"
	"encoding/json"
	"fmt"
)

//go:embed hudson_lynx_hare.json
var hudsonBay []byte

// firstYear is that of the first pair of pelts.
const firstYear = 1900

// load returns the pelts of hare and lynx, in thousands, of the years from
// firstYear on.
func load() ([][2]float64, error) {
	var record struct {
		First [2]float64   `json:"y_init"`
		Rest  [][2]float64 `json:"y"`
	}
	if err := json.Unmarshal(hudsonBay, &record); err != nil {
		return nil, fmt.Errorf("hudson_lynx_hare.json: %w", err)
	}
	return append([][2]float64{record.First}, record.Rest...), nil
}
