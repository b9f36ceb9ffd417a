package probe

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"sync"
	"time"
)

// A Worker is the inside of a process that works on cases one by one: it says
// what it is doing, and ends the process when a case hangs or takes all memory, so
// that the parent can blame the case and start another process for the rest.
type Worker struct {
	Way Way
	out *json.Encoder

	mu      sync.Mutex
	current string
	mode    string
	since   time.Time
}

// Limits of one step, such as the calls of one derived function at one point. The
// environment can set the first, for tests.
var stepLimit = 40 * time.Second

const memoryLimit = 3 << 30

// StepLimitEnv is the environment variable with another limit.
const StepLimitEnv = "QUABLA_BANK_STEP_LIMIT"

// NewWorker returns a worker that reports to standard output. What the cases print
// there is dropped.
func NewWorker(way Way) *Worker {
	w := &Worker{Way: way, out: json.NewEncoder(os.Stdout)}
	if null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0); err == nil {
		os.Stdout = null
	}
	if d, err := time.ParseDuration(os.Getenv(StepLimitEnv)); err == nil {
		stepLimit = d
	}
	debug.SetMaxStack(1 << 29)
	go w.watch()
	return w
}

// Emit reports an event about the current case.
func (w *Worker) Emit(e Event) {
	w.mu.Lock()
	defer w.mu.Unlock()
	e.Case = w.current
	if e.Way == "" {
		e.Way = w.Way
	}
	w.out.Encode(e)
}

// Doing says what the worker does next.
func (w *Worker) Doing(mode string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.mode, w.since = mode, time.Now()
}

// Each calls f for each case whose name stands in the input, one a line.
func (w *Worker) Each(in io.Reader, f func(id string)) {
	sc := bufio.NewScanner(in)
	for sc.Scan() {
		id := sc.Text()
		w.mu.Lock()
		w.current, w.mode, w.since = id, "", time.Now()
		w.mu.Unlock()
		w.Emit(Event{Kind: Begin})
		f(id)
		w.Emit(Event{Kind: Done})
		w.mu.Lock()
		w.current = ""
		w.mu.Unlock()
	}
}

// Protect calls f and reports a panic, which is one of the harness.
func (w *Worker) Protect(f func()) {
	defer func() {
		if r := recover(); r != nil {
			w.Emit(Event{Kind: Fail, Mode: "harness", Text: oneLine(fmt.Sprintf("panic: %v %s", r, debug.Stack()))})
		}
	}()
	f()
}

// watch ends the process when a step takes too long or too much memory.
func (w *Worker) watch() {
	for {
		time.Sleep(100 * time.Millisecond)
		w.mu.Lock()
		busy, mode, since := w.current != "", w.mode, w.since
		w.mu.Unlock()
		if !busy {
			continue
		}
		if time.Since(since) > stepLimit {
			w.Emit(Event{Kind: Fail, Mode: mode, Text: fmt.Sprintf("hangs: no end after %v", stepLimit)})
			os.Exit(3)
		}
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		if m.HeapAlloc > memoryLimit {
			w.Emit(Event{Kind: Fail, Mode: mode, Text: "takes more than 3 GiB of memory"})
			os.Exit(3)
		}
	}
}

// Main is the main function of the program that runs compiled cases: os.Args[1] is
// the file of the plan, os.Args[2] the way, and the standard input lists cases.
func Main(packages map[string]func(*Registry)) {
	way := Way(os.Args[2])
	w := NewWorker(way)
	plan, err := Load(os.Args[1])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	byID := map[string]*CasePlan{}
	for _, p := range plan.Cases {
		byID[p.Case.ID] = p
	}
	w.Each(os.Stdin, func(id string) {
		p, register := byID[id], packages[string(way)+" "+id]
		if p == nil || register == nil {
			w.Emit(Event{Kind: Fail, Mode: "harness", Text: "no such case in the program"})
			return
		}
		w.Protect(func() {
			reg := new(Registry)
			register(reg)
			c := &Checker{World: Native{reg}, Way: way, Plan: p, Emit: w.Emit, Doing: w.Doing, MaxCalls: 600, Parallel: true}
			c.Run()
		})
	})
}
