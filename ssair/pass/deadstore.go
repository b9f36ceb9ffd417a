package pass

import "github.com/quabla/quabla/ssair"

// DeadStores removes writes to memory of the function itself that nothing reads
// afterwards: what reverse mode clears last, for instance.
func DeadStores(f *ssair.Func) bool {
	al := FindAliases(f)
	seen := RootSet{}
	if t := f.Body.Term(); t.Kind == ssair.Return {
		for _, v := range t.Args {
			seen.addAll(al.Pts(v))
		}
	}
	for _, r := range al.Roots {
		if !r.Local() {
			seen[r] = true
		}
	}
	d := &deadStores{al: al, outside: al.Reach(seen)}
	d.region(f.Body, RootSet{})
	for _, o := range d.dead {
		o.Remove()
	}
	return len(d.dead) > 0
}

type deadStores struct {
	al      *Aliases
	outside RootSet // memory that others see after the function
	dead    []*ssair.Op
}

// region walks r backwards; read holds the memory that is read behind it, and
// grows by what r reads.
func (d *deadStores) region(r *ssair.Region, read RootSet) {
	for i := len(r.Ops) - 1; i >= 0; i-- {
		o := r.Ops[i]
		switch {
		case o.Kind == ssair.Loop:
			// What one trip reads is read behind every write of the trip before.
			for _, g := range o.Regions {
				g.Walk(func(x *ssair.Op) bool {
					d.reads(x, read)
					return true
				})
			}
			for _, g := range o.Regions {
				d.region(g, read)
			}
		case o.Kind == ssair.If:
			for _, g := range o.Regions {
				d.region(g, read)
			}
		case d.unread(o, read):
			d.dead = append(d.dead, o)
		default:
			d.reads(o, read)
		}
	}
}

// unread reports whether o writes only to memory that nobody reads later.
func (d *deadStores) unread(o *ssair.Op, read RootSet) bool {
	switch o.Kind {
	case ssair.Store, ssair.Accum:
		if !o.Safe {
			return false // it may panic
		}
	case ssair.Clear:
	default:
		return false
	}
	roots := d.al.Pts(o.Args[0])
	if len(roots) == 0 {
		return false
	}
	for r := range roots {
		if !r.Local() || read[r] || d.outside[r] {
			return false
		}
	}
	return true
}

// reads adds the memory that o may read to read.
func (d *deadStores) reads(o *ssair.Op, read RootSet) {
	switch o.Kind {
	case ssair.Load, ssair.Accum, ssair.MapGet, ssair.MapKeys, ssair.Copy, ssair.Append, ssair.AppendSlice, ssair.Conv, ssair.Len, ssair.MapLen, ssair.Cap:
		for _, a := range o.Args {
			if a != nil {
				read.addAll(d.al.Pts(a))
			}
		}
	case ssair.Store, ssair.Clear, ssair.Yield, ssair.Return, ssair.MapDelete:
	default:
		// Anything that gets a reference may read through it.
		if o.Kind.IsPure() || o.Kind == ssair.Alloc || o.Kind == ssair.MakeSlice || o.Kind == ssair.MakeMap {
			return
		}
		for _, a := range o.Args {
			if a != nil {
				read.addAll(d.al.Reach(d.al.Pts(a)))
			}
		}
	}
}
