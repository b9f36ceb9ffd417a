package ssair

// Kind is the kind of an op.
type Kind uint8

const (
	Invalid Kind = iota

	// Values.

	Const   // a constant: Val, with Obj or Text for its spelling
	Zero    // the zero value of a type
	Global  // the address of a package-level variable: Obj
	FuncVal // a function as an opaque value: Obj

	// Arithmetic. None has a derivative through bool or int.

	Bin   // Args[0] Tok Args[1], also of strings
	Un    // Tok Args[0]
	Cmp   // Args[0] Tok Args[1]
	Conv  // conversion to the type of the result
	Apply // elementary function Fn of package rules
	Stop  // its operand, as a constant for every derivative

	// Memory. A place is Args[0] (a pointer, a slice or, for Extract, a
	// value) followed by Path; the indices of the path are the next operands.

	Alloc       // a new zeroed cell of type Type: a pointer to it
	MakeSlice   // make([]T, Args[0], Args[1])
	MakeMap     // make(map[K]V)
	Addr        // the address of a place
	Load        // what a place holds
	Store       // place = last operand
	Accum       // place += last operand
	Slice       // Args[0][Args[1]:Args[2]:Args[3]]; a nil operand is left out
	Len         // len(Args[0]), not of a map
	MapLen      // len(Args[0]) of a map, which changes
	Cap         // cap(Args[0])
	Append      // append(Args[0], Args[1:]...)
	AppendSlice // append(Args[0], Args[1]...)
	Copy        // copy(Args[0], Args[1]), the count
	Clear       // clear(Args[0]), a slice or a map
	MapGet      // Args[0][Args[1]]: the value, and whether it is there
	MapSet      // Args[0][Args[1]] = Args[2]
	MapDelete   // delete(Args[0], Args[1])
	MapKeys     // the keys of Args[0] as a new slice, sorted where they have an order
	ZeroLike    // new memory of the shape of what Args[0] refers to, sharing included, with zero numbers; see rt.ZeroLike
	ClearAll    // sets the numbers that can be reached from Args[0] to zero
	StrIndex    // Args[0][Args[1]] of a string

	// Aggregates.

	Build   // a struct or array value from its fields or elements
	Extract // the part of a value at Path; element steps use Args as constants

	// Interfaces.

	MakeIface  // Args[0] as an interface
	TypeIs     // whether the dynamic type of Args[0] is Type (implements it, for an interface)
	TypeAssert // Args[0].(Type)

	// Control.

	If          // Args[0] decides between Regions[0] and Regions[1]; their yields are the results
	Loop        // see Op.Cond, Op.BodyRegion, Op.Post
	Panic       // panic(Args[0]); with Args[1], an interface that no function is known for, panic(rt.UnknownType(Args[0], Args[1]))
	Yield       // terminator: the results of a region
	Return      // terminator of a body
	Unreachable // terminator after a panic

	// Calls.

	Call        // a function of the IR: Callee
	Opaque      // a Go function without derivative: Obj, or the function value Args[0] when Obj is nil
	JVP         // Callee, which has one result, at Args but the last: its result and the tangent of that when its last argument has the tangent that is the last operand
	Grad        // the gradient of Callee, which has one result, by its last parameter at Args, as a new value
	MakeClosure // the function Callee with Args bound as its first parameters

	numKinds
)

type kindInfo struct {
	name string
	// pure: no effect, and the result depends on the operands alone.
	pure bool
	// reads, writes: the op reads or writes memory.
	reads, writes bool
	// term: the op ends a region.
	term bool
}

var kindTable = [numKinds]kindInfo{
	Const:       {name: "const", pure: true},
	Zero:        {name: "zero", pure: true},
	Global:      {name: "global", pure: true},
	FuncVal:     {name: "func", pure: true},
	Bin:         {name: "bin", pure: true},
	Un:          {name: "un", pure: true},
	Cmp:         {name: "cmp", pure: true},
	Conv:        {name: "conv", pure: true},
	Apply:       {name: "apply", pure: true},
	Stop:        {name: "stop", pure: true},
	Alloc:       {name: "alloc"},
	MakeSlice:   {name: "makeslice"},
	MakeMap:     {name: "makemap"},
	Addr:        {name: "addr", pure: true},
	Load:        {name: "load", reads: true},
	Store:       {name: "store", writes: true},
	Accum:       {name: "accum", reads: true, writes: true},
	Slice:       {name: "slice", pure: true},
	Len:         {name: "len", pure: true},
	MapLen:      {name: "maplen", reads: true},
	Cap:         {name: "cap", pure: true},
	Append:      {name: "append", reads: true, writes: true},
	AppendSlice: {name: "appendslice", reads: true, writes: true},
	Copy:        {name: "copy", reads: true, writes: true},
	Clear:       {name: "clear", writes: true},
	MapGet:      {name: "mapget", reads: true},
	MapSet:      {name: "mapset", writes: true},
	MapDelete:   {name: "mapdelete", writes: true},
	MapKeys:     {name: "mapkeys", reads: true},
	ZeroLike:    {name: "zerolike", reads: true},
	ClearAll:    {name: "clearall", writes: true},
	StrIndex:    {name: "strindex", pure: true},
	Build:       {name: "build", pure: true},
	Extract:     {name: "extract", pure: true},
	MakeIface:   {name: "makeiface", pure: true},
	TypeIs:      {name: "typeis", pure: true},
	TypeAssert:  {name: "typeassert", pure: true},
	If:          {name: "if"},
	Loop:        {name: "loop"},
	Panic:       {name: "panic", writes: true},
	Yield:       {name: "yield", term: true},
	Return:      {name: "return", term: true},
	Unreachable: {name: "unreachable", term: true},
	Call:        {name: "call", reads: true, writes: true},
	Opaque:      {name: "opaque", reads: true, writes: true},
	JVP:         {name: "jvp", reads: true, writes: true},
	Grad:        {name: "grad", reads: true, writes: true},
	MakeClosure: {name: "closure", pure: true},
}

// String returns the name of k in the printed form.
func (k Kind) String() string { return kindTable[k].name }

// IsTerm reports whether ops of kind k end a region.
func (k Kind) IsTerm() bool { return kindTable[k].term }

// IsPure reports whether ops of kind k have no effect and a result that
// depends on their operands alone. A pure op may still panic.
func (k Kind) IsPure() bool { return kindTable[k].pure }

// Reads reports whether ops of kind k read memory (nested regions apart).
func (k Kind) Reads() bool { return kindTable[k].reads }

// Writes reports whether ops of kind k write memory or have another visible
// effect (nested regions apart).
func (k Kind) Writes() bool { return kindTable[k].writes }
