//go:build linux || darwin

package testee

import "syscall"

// limitMemory bounds the addresses of this process: beyond, Go ends it.
func limitMemory(bytes uint64) error {
	return syscall.Setrlimit(syscall.RLIMIT_AS, &syscall.Rlimit{Cur: bytes, Max: bytes})
}
