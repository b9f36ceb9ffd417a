package check

import (
	"bufio"
	"encoding/gob"
	"fmt"
	"os"
	"runtime/debug"
	"sync"
	"time"
)

// An Event is what the runner reports.
type Event struct {
	ID       string
	Kind     Kind
	Func     string
	Seed     uint64
	Text     string
	Outcome  Outcome
	Skipped  map[string]int
	Compared int
}

// A Kind is the kind of an event.
type Kind int

const (
	Begin Kind = iota // of a program
	Fail              // of a function
	Saw               // an outcome
	Done              // with a program
)

// Limit is the longest time that a program may take.
const Limit = 20 * time.Second

// Main is the main function of the program that checks compiled programs:
// os.Args[1] names the file with the plans, and the standard input lists the IDs of
// those to check. Events go to the standard output.
func Main(register map[string]func(*Registry)) {
	plans, err := Load(os.Args[1])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	debug.SetMaxStack(1 << 28)
	var mu sync.Mutex
	out := gob.NewEncoder(os.Stdout)
	emit := func(e Event) {
		mu.Lock()
		defer mu.Unlock()
		out.Encode(e)
	}
	in := bufio.NewScanner(os.Stdin)
	for in.Scan() {
		id := in.Text()
		emit(Event{ID: id, Kind: Begin})
		timer := time.AfterFunc(Limit, func() {
			emit(Event{ID: id, Kind: Fail, Text: fmt.Sprintf("hangs: no end after %v", Limit)})
			os.Exit(3)
		})
		plan, reg := plans[id], new(Registry)
		register[id](reg)
		c := &Checker{World: Native{reg, &plan.Primal}, Plan: plan}
		failed := map[string]bool{}
		c.Fail = func(f *Func, seed uint64, format string, args ...any) {
			failed[f.Name] = true
			emit(Event{ID: id, Kind: Fail, Func: f.Name, Seed: seed, Text: fmt.Sprintf(format, args...)})
		}
		c.Saw = func(f *Func, seed uint64, o Outcome) {
			emit(Event{ID: id, Kind: Saw, Func: f.Name, Seed: seed, Outcome: o})
		}
		c.Run()
		c.again(failed)
		timer.Stop()
		emit(Event{ID: id, Kind: Done, Skipped: c.Skipped, Compared: c.Checked})
	}
}

// again calls the derived functions that have not failed at the first point once
// more: what the calls at other points left in pools and work spaces must not
// matter.
func (c *Checker) again(failed map[string]bool) {
	plan := *c.Plan
	plan.Seeds = plan.Seeds[:1]
	again := &Checker{World: c.World, Plan: &plan}
	again.Fail = func(f *Func, seed uint64, format string, args ...any) {
		if !failed[f.Name] {
			c.Fail(f, seed, "called again: "+format, args...)
		}
	}
	again.Run()
	c.Checked += again.Checked
}

// Save writes plans to a file.
func Save(name string, plans map[string]*Plan) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	defer f.Close()
	return gob.NewEncoder(f).Encode(plans)
}

// Load reads plans.
func Load(name string) (plans map[string]*Plan, err error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return plans, gob.NewDecoder(f).Decode(&plans)
}
