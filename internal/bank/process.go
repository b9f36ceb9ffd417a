package bank

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os/exec"
	"strings"
	"time"

	"github.com/quabla/quabla/internal/bank/probe"
)

// supervise has processes work on cases. A process that dies or hangs costs the
// case that it was working on; another one does the rest. handle gets all events.
func supervise(ctx context.Context, way probe.Way, ids []string, start func(ids []string) *exec.Cmd, handle func(probe.Event)) error {
	for len(ids) > 0 {
		done, current, mode, tail, err := oneProcess(ctx, start(ids), handle)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if current == "" && len(done) == 0 {
			return fmt.Errorf("a process of the harness fails: %v\n%s", err, tail)
		}
		if current != "" {
			done[current] = true
			if mode != "reported" {
				handle(probe.Event{Case: current, Way: way, Kind: probe.Fail, Mode: "crash", Text: oneLine(fmt.Sprintf("the process dies (%v): %s", err, tail))})
			}
		}
		var rest []string
		for _, id := range ids {
			if !done[id] {
				rest = append(rest, id)
			}
		}
		ids = rest
	}
	return nil
}

// oneProcess runs a process. It returns the cases that are done, the case that the
// process died at, and the end of what it wrote.
func oneProcess(ctx context.Context, cmd *exec.Cmd, handle func(probe.Event)) (done map[string]bool, current, mode, tail string, err error) {
	done = map[string]bool{}
	var stderr lastLines
	cmd.Stderr = &stderr
	cmd.WaitDelay = 5 * time.Second
	out, err := cmd.StdoutPipe()
	if err != nil {
		return done, "", "", "", err
	}
	if err := cmd.Start(); err != nil {
		return done, "", "", "", err
	}
	sc := bufio.NewScanner(out)
	sc.Buffer(nil, 1<<24)
	for sc.Scan() {
		var e probe.Event
		if json.Unmarshal(sc.Bytes(), &e) != nil || e.Kind == "" {
			continue // something else that the process printed
		}
		switch e.Kind {
		case probe.Begin:
			current, mode = e.Case, ""
		case probe.Done:
			done[e.Case] = true
			current = ""
		case probe.Fail:
			if strings.HasPrefix(e.Text, "hangs") || strings.HasPrefix(e.Text, "takes more") {
				mode = "reported"
			}
		}
		handle(e)
	}
	err = cmd.Wait()
	return done, current, mode, stderr.String(), err
}

// lastLines keeps the beginning of the last part of what is written to it: Go
// prints the reason for a crash first.
type lastLines struct{ b bytes.Buffer }

func (l *lastLines) Write(p []byte) (int, error) {
	if room := 1500 - l.b.Len(); room > 0 {
		l.b.Write(p[:min(len(p), room)])
	}
	return len(p), nil
}

func (l *lastLines) String() string { return l.b.String() }
