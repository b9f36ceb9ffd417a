package main

import (
	_ "embed"
	"encoding/csv"
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
)

//go:embed breast_cancer.csv
var breastCancer string

// cases are tumours: a row of x is the constant 1 and thirty measurements, y
// is 1 if the tumour was malignant and 0 if it was benign.
type cases struct {
	x [][]float64
	y []float64
}

// load returns the cases, a fixed random quarter of them held out. The
// measurements are scaled to mean 0 and deviation 1 over those for training.
func load() (train, heldOut cases, err error) {
	lines := csv.NewReader(strings.NewReader(breastCancer))
	lines.FieldsPerRecord = -1 // the first line holds counts and class names
	records, err := lines.ReadAll()
	if err != nil {
		return train, heldOut, fmt.Errorf("breast_cancer.csv: %w", err)
	}
	records = records[1:]
	rand.New(rand.NewPCG(569, 30)).Shuffle(len(records), func(i, j int) {
		records[i], records[j] = records[j], records[i]
	})
	for i, record := range records {
		row := make([]float64, len(record)) // the label comes last: 1 is benign
		for j, field := range record {
			if row[j], err = strconv.ParseFloat(field, 64); err != nil {
				return train, heldOut, fmt.Errorf("breast_cancer.csv: %w", err)
			}
		}
		last := len(row) - 1
		set := &train
		if i < len(records)/4 {
			set = &heldOut
		}
		set.x = append(set.x, append([]float64{1}, row[:last]...))
		set.y = append(set.y, 1-row[last])
	}
	standardize(train.x, heldOut.x)
	return train, heldOut, nil
}

// standardize shifts and scales the columns of both tables, except the first,
// so that those of train have mean 0 and deviation 1.
func standardize(train, heldOut [][]float64) {
	n := float64(len(train))
	for j := 1; j < len(train[0]); j++ {
		var mean, variance float64
		for _, row := range train {
			mean += row[j] / n
		}
		for _, row := range train {
			variance += (row[j] - mean) * (row[j] - mean) / n
		}
		for _, table := range [][][]float64{train, heldOut} {
			for _, row := range table {
				row[j] = (row[j] - mean) / math.Sqrt(variance)
			}
		}
	}
}
