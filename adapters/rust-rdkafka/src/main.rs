//! librdkafka's partitioners through the crate rdkafka: rdkafka-testee PARTITIONER [LINGER]
//!
//! rdkafka has no partitioner of its own: it hands the setting `partitioner` to the librdkafka that
//! it bundles. Which path answers what is as in ../c/librdkafka.c:
//!
//! - A record with a key: librdkafka's exported function, which the crate re-exports, with the
//!   number of all partitions, as rd_kafka_msg_partitioner() (rdkafka_msg.c) calls it.
//! - A record without key, or with an empty one in consistent_random: really produced, with the
//!   crate's producer, to librdkafka's mock cluster; the partition is read from the delivery
//!   report. The sticky partition changes by the clock, whatever the batches do.
//! - A record that names its partition (BaseRecord.partition) is produced in the same way.

#[path = "../../rust/src/protocol.rs"]
mod protocol;
mod mock;

use std::os::raw::c_void;
use std::ptr::null_mut;

use mock::Alike;
use protocol::{Answer, Partition, Session, Testee};
use rdkafka::bindings::*;
use serde_json::json;

type Function = unsafe extern "C" fn(
    *const rd_kafka_topic_t, *const c_void, usize, i32, *mut c_void, *mut c_void,
) -> i32;

struct Producer {
    partitioner: String,
    linger: String,
    function: Option<Function>,
}

impl Producer {
    /// Whether librdkafka leaves the key to its randomness.
    fn is_keyless(&self, key: &Option<Vec<u8>>) -> bool {
        key.as_ref().is_none_or(|key| key.is_empty() && self.partitioner == "consistent_random")
    }
}

impl Session for Producer {
    fn partition(&mut self, _: &str, key: Option<&[u8]>, partitions: &[Partition]) -> Answer {
        match self.partitions(&[key.map(<[u8]>::to_vec)], partitions) {
            Ok(chosen) => Answer::Partition(chosen[0]),
            Err(message) => Answer::Error(message),
        }
    }

    fn record(&mut self, named: Option<i32>, key: Option<&[u8]>, partitions: &[Partition]) -> Answer {
        let alike = Alike { key, partition: named };
        match mock::produce(&self.partitioner, &self.linger, partitions, alike, 1) {
            Ok(chosen) => Answer::Partition(chosen[0]),
            Err(answer) => answer,
        }
    }

    fn partitions(
        &mut self,
        keys: &[Option<Vec<u8>>],
        partitions: &[Partition],
    ) -> Result<Vec<i32>, String> {
        let empty: &[u8] = b"";
        let key = keys.iter().any(Option::is_some).then_some(empty);
        let alike = Alike { key, partition: None };
        let count = keys.iter().filter(|key| self.is_keyless(key)).count();
        let mut produced = if count > 0 {
            mock::produce(&self.partitioner, &self.linger, partitions, alike, count)
                .map_err(|answer| match answer {
                    Answer::Error(message) | Answer::Refused(message) => message,
                    Answer::Partition(partition) => partition.to_string(),
                })?
                .into_iter()
        } else {
            Vec::new().into_iter()
        };
        let choose = |key: &Option<Vec<u8>>| match (key, self.function) {
            (Some(key), Some(function)) if !self.is_keyless(&Some(key.clone())) => {
                // A Vec's pointer is never null, which librdkafka would take for "no key".
                let bytes = key.as_ptr().cast();
                let all = partitions.len() as i32;
                Ok(unsafe { function(null_mut(), bytes, key.len(), all, null_mut(), null_mut()) })
            }
            _ => produced.next().ok_or_else(|| "a delivery report is missing".to_string()),
        };
        keys.iter().map(choose).collect()
    }
}

fn behaviours(keyed: bool, java: bool, named: bool) -> serde_json::Value {
    let statistical = json!({"mode": "statistical", "cannot": ["gaps in ids"]});
    let mut all = json!({"round-robin-null-key": statistical, "sticky": statistical,
                         "built-in": statistical});
    if named {
        all["explicit-partition"] = json!({"mode": "exact", "cannot":
            ["null metadata", "unknown topics", "null topics", "gaps in ids"]});
    }
    if keyed {
        all["keyed"] = json!({"mode": "exact", "records": true, "cannot":
            ["null metadata", "unknown topics", "null topics", "null keys", "gaps in ids", "odd counts"]});
        if java {
            // "Java Producer compatible Murmur2 hash of key", says CONFIGURATION.md.
            all["keyed"]["claims"] = json!(["2.3.1", "3.2.3", "3.8.0", "4.4.0"]);
        }
    } else {
        all["uniform-sticky"] = statistical;
    }
    all
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let partitioner = arguments.next().unwrap_or_default();
    let linger = arguments.next().unwrap_or("10".to_string()); // librdkafka's default
    let function: Option<Function> = match partitioner.as_str() {
        "consistent_random" => Some(rd_kafka_msg_partitioner_consistent_random),
        "murmur2_random" => Some(rd_kafka_msg_partitioner_murmur2_random),
        "murmur2" => Some(rd_kafka_msg_partitioner_murmur2),
        "consistent" => Some(rd_kafka_msg_partitioner_consistent),
        "fnv1a_random" => Some(rd_kafka_msg_partitioner_fnv1a_random),
        "fnv1a" => Some(rd_kafka_msg_partitioner_fnv1a),
        "random" => None,
        _ => {
            eprintln!("usage: rdkafka-testee PARTITIONER [LINGER], such as murmur2_random");
            std::process::exit(2);
        }
    };
    let testee = Testee {
        name: format!("rust-rdkafka {partitioner}, sticky.partitioning.linger.ms={linger}"),
        version: format!("0.39.0, librdkafka {}", rdkafka::util::get_rdkafka_version().1),
        // Whatever the partitioner, librdkafka does the same with a partition that is named; with this
        // one keys go where Java's go.
        behaviours: behaviours(
            function.is_some(),
            partitioner.starts_with("murmur2"),
            partitioner == "murmur2_random" && linger == "10",
        ),
        start: Box::new(move || {
            Box::new(Producer { partitioner: partitioner.clone(), linger: linger.clone(), function })
        }),
        murmur2: None,
    };
    if let Err(error) = protocol::serve(&testee) {
        eprintln!("{error}");
        std::process::exit(1);
    }
}
