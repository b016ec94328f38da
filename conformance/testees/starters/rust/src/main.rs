//! A testee to start from: it answers keyed, and "not yet" to whatever else is asked.
//! Build: cargo build --release
//! Run:   kafka-conformance testee -- target/release/testee
//! What is asked, and how to go on: docs/write-a-testee.md. Every rule: docs/protocol.md.

use std::io::{self, BufRead, Write};

use serde_json::{json, Value};

/// Your code goes here: replace the body by a call of your own partitioner.
fn partition_for_key(key: &[u8], partitions: usize) -> usize {
    (murmur2(key) & 0x7fffffff) as usize % partitions
}

/// Java's hash. Delete it when your own code is called.
fn murmur2(key: &[u8]) -> u32 {
    const M: u32 = 0x5bd1e995;
    let mut h = 0x9747b28c ^ key.len() as u32;
    let words = key.chunks_exact(4);
    let tail = words.remainder();
    for word in words {
        let k = u32::from_le_bytes(word.try_into().unwrap()).wrapping_mul(M);
        h = h.wrapping_mul(M) ^ (k ^ k >> 24).wrapping_mul(M);
    }
    for (at, byte) in tail.iter().enumerate() {
        h ^= u32::from(*byte) << (8 * at);
    }
    if !tail.is_empty() {
        h = h.wrapping_mul(M);
    }
    h = (h ^ h >> 13).wrapping_mul(M);
    h ^ h >> 15
}

/// What you support: docs/protocol.md has all behaviours, and the words of "cannot".
fn hello() -> Value {
    json!({"type": "hello", "protocol": 1, "name": "my partitioner", "version": "0.1", "language": "Rust",
        "behaviours": {"keyed": {"mode": "exact", "claims": ["3.8.0"], "operations": ["partition"],
            "cannot": ["null metadata", "unknown topics", "null topics"]}}})
}

/// One answer for each step of a case. Each case starts afresh: keep no state across.
fn trace(behaviour: &Value, case: &Value) -> Value {
    let mut answers = Vec::new();
    for step in case["steps"].as_array().unwrap() {
        if behaviour != "keyed" || step["op"] != "partition" {
            return json!({"could not try": "not yet"});
        }
        // A snapshot is a list of [topic, [[id, leader], ...]].
        let snapshot = &case["metadata"][step["metadata"].as_u64().unwrap() as usize];
        let entries = snapshot.as_array().unwrap();
        let entry = entries.iter().find(|entry| entry[0] == step["topic"]).unwrap();
        let partitions = entry[1].as_array().unwrap().len();
        let key = bytes(step["key"]["hex"].as_str().unwrap());
        answers.push(partition_for_key(&key, partitions));
    }
    json!(answers)
}

fn bytes(hex: &str) -> Vec<u8> {
    (0..hex.len()).step_by(2).map(|at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap()).collect()
}

fn answer(question: &Value) -> Value {
    if question["type"] == "hello" {
        return hello();
    }
    if question["type"] == "cases" {
        let cases = question["cases"].as_array().unwrap();
        let traces: Vec<Value> = cases.iter().map(|case| trace(&question["behaviour"], case)).collect();
        return json!({"type": "traces", "id": question["id"], "traces": traces});
    }
    json!({"type": "partitions", "id": question["id"], "could not try": "not yet"})
}

fn main() -> io::Result<()> {
    for line in io::stdin().lock().lines() {
        println!("{}", answer(&serde_json::from_str(&line?)?));
        io::stdout().flush()?;
    }
    Ok(()) // the end of the input: exit with code 0
}
