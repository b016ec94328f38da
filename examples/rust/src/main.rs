//! A testee in Rust, to read: murmur2 keyed and round-robin (docs/protocol.md, docs/behaviours.md).
//! Build: cargo build --release --locked
//! Run:   kafka-conformance testee -- target/release/testee

use std::collections::HashMap;
use std::io::{self, BufRead, Write};

use serde_json::{json, Value};

/// Unsigned numbers that wrap, as Java's int does.
fn murmur2(key: &[u8]) -> u32 {
    const M: u32 = 0x5bd1e995;
    let mut h = 0x9747b28c ^ key.len() as u32;
    let blocks = key.chunks_exact(4);
    let tail = blocks.remainder();
    for block in blocks {
        let k = u32::from_le_bytes(block.try_into().unwrap()).wrapping_mul(M);
        h = h.wrapping_mul(M) ^ (k ^ k >> 24).wrapping_mul(M);
    }
    tail.iter().enumerate().for_each(|(i, byte)| h ^= u32::from(*byte) << (8 * i));
    h = if tail.is_empty() { h } else { h.wrapping_mul(M) };
    h = (h ^ h >> 13).wrapping_mul(M);
    h ^ h >> 15
}

/// An index modulo the count, not an id. `count` may be negative, as Java's int.
fn keyed(key: &Value, count: i64) -> Value {
    let Some(hex) = key.as_str() else {
        return json!({"error": "null"}); // Java has no array to hash
    };
    let digit = |c: u8| (c as char).to_digit(16).unwrap() as u8;
    let bytes: Vec<u8> = hex.as_bytes().chunks(2).map(|two| digit(two[0]) << 4 | digit(two[1])).collect();
    let positive = i64::from(murmur2(&bytes) & 0x7fffffff); // toPositive: a mask, no abs()
    // checked_rem: the remainder has the sign of the dividend; by zero there is none
    positive.checked_rem(count).map_or(json!({"error": "arithmetic"}), Value::from)
}

/// A counter for each topic, from 0; the partitions with a leader, or all if none has one.
fn round_robin(counters: &mut HashMap<String, usize>, topic: &str, partitions: &[Value]) -> Value {
    let counter = counters.entry(topic.to_string()).or_insert(0);
    let count = *counter;
    *counter += 1;
    let available: Vec<&Value> = partitions.iter().filter(|p| !p[1].is_null()).collect();
    match (available.len(), partitions.len()) {
        (0, 0) => json!({"error": "arithmetic"}),
        (0, all) => json!(count % all),
        (some, _) => available[count % some][0].clone(),
    }
}

fn step(case: &Value, step: &Value, counters: &mut HashMap<String, usize>, hash: bool) -> Value {
    let (key, topic) = (&step["key"]["hex"], &step["topic"]);
    if let Some(count) = step["partitions"].as_i64() {
        return keyed(key, count); // "partition for key" has a bare count
    }
    let snapshot = &case["metadata"][step["metadata"].as_u64().unwrap_or(0) as usize];
    let Some(topics) = snapshot.as_array() else {
        return json!({"error": "null"});
    };
    // An unknown topic has no partition.
    let found = topics.iter().find(|entry| entry[0] == *topic).and_then(|entry| entry[1].as_array());
    let partitions = found.map_or(&[][..], Vec::as_slice);
    match hash {
        true => keyed(key, partitions.len() as i64),
        false => round_robin(counters, topic.as_str().unwrap_or(""), partitions),
    }
}

fn answer(q: &Value) -> Value {
    let (hash, mut counters) = (q["behaviour"] == "keyed", HashMap::new());
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    if q["type"] == "hello" {
        return json!({"type": "hello", "protocol": 1, "name": "example", "version": "1", "language": "Rust",
            "behaviours": {"keyed": {"mode": "exact", "records": true, "cannot": ["null topics"]},
                "round-robin": {"mode": "exact", "records": true,
                    "cannot": ["null topics", "null metadata", "set counters"]}}});
    }
    if q["type"] == "cases" {
        let trace = |case: &Value| -> Value {
            let mut counters = HashMap::new(); // each case starts afresh
            list(&case["steps"]).iter().map(|s| step(case, s, &mut counters, hash)).collect()
        };
        return json!({"type": "traces", "id": q["id"], "traces": list(&q["cases"]).iter().map(trace).collect::<Vec<_>>()});
    }
    let (partitions, count) = (list(&q["partitions"]), q["count"].as_u64().unwrap_or(0));
    let chosen: Vec<Value> = if hash {
        list(&q["keys"]).iter().map(|key| keyed(key, partitions.len() as i64)).collect()
    } else {
        (0..count).map(|_| round_robin(&mut counters, "t", &partitions)).collect()
    };
    json!({"type": "partitions", "id": q["id"], "partitions": chosen})
}

fn main() -> io::Result<()> {
    for line in io::stdin().lock().lines() {
        println!("{}", answer(&serde_json::from_str(&line?)?));
        io::stdout().flush()?;
    }
    Ok(())
}
