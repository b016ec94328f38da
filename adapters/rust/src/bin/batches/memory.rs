//! Memory that is not given by the dozens of gigabytes, which damaged batches make libraries ask for.
//!
//! What a machine with less memory does then is what every machine does here: Rust ends the process,
//! which is the child, and its end is the answer. Without a limit it would depend on the machine.

use std::alloc::{GlobalAlloc, Layout, System};
use std::ptr;

/// More than snappy can say of a block (4 GiB), and than most machines have to spare.
const MOST_AT_ONCE: usize = 8 << 30;

struct Limited;

#[global_allocator]
static LIMITED: Limited = Limited;

// SAFETY: all of it is the system's, but for requests that fail, which a null pointer says.
unsafe impl GlobalAlloc for Limited {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if layout.size() > MOST_AT_ONCE {
            return ptr::null_mut();
        }
        System.alloc(layout)
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        if layout.size() > MOST_AT_ONCE {
            return ptr::null_mut();
        }
        System.alloc_zeroed(layout)
    }

    unsafe fn realloc(&self, held: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        if size > MOST_AT_ONCE {
            return ptr::null_mut();
        }
        System.realloc(held, layout, size)
    }

    unsafe fn dealloc(&self, held: *mut u8, layout: Layout) {
        System.dealloc(held, layout);
    }
}
