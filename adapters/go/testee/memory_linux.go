package testee

import "syscall"

// limitMemory bounds what this process can write to: beyond, Go ends it. (Not its addresses, of which
// it reserves far more than it takes.)
func limitMemory(bytes uint64) error {
	return syscall.Setrlimit(syscall.RLIMIT_DATA, &syscall.Rlimit{Cur: bytes, Max: bytes})
}
