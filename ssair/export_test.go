package ssair

// NumKinds is the number of kinds of ops, for tests that walk them.
const NumKinds = numKinds
