//! Rust clients' partitioners as testees: rust-testee PARTITIONER

mod broker;
mod direct;
mod kafka_rust;
mod protocol;

use std::cell::RefCell;
use std::io;
use std::rc::Rc;

use barnabas_core::Partitioner;
use protocol::{Session, Testee};
use serde_json::{json, Value};

/// What none of them can be asked; of a bare number of partitions one sees even less.
const NO_TOPIC: [&str; 4] = ["null metadata", "unknown topics", "null topics", "null keys"];

/// `keyed`, by a partitioner that is handed a number of partitions: leaderless ones count.
fn keyed(claims: bool) -> Value {
    let mut cannot = NO_TOPIC.to_vec();
    cannot.extend(["gaps in ids", "odd counts"]);
    let mut support = json!({"mode": "exact", "records": true, "cannot": cannot});
    if claims {
        support["claims"] = json!(["2.3.1", "3.2.3", "3.8.0", "4.4.0"]);
    }
    support
}

/// Null keys, its own way: the suite tells which Java behaviour that is like.
fn null_keys(mut behaviours: Value, cannot: &[&str]) -> Value {
    for name in ["round-robin-null-key", "sticky", "built-in"] {
        behaviours[name] = json!({"mode": "statistical", "cannot": cannot});
    }
    behaviours
}

fn round_robin(cannot: &[&str], claims: bool) -> Value {
    let mut all = NO_TOPIC.to_vec();
    all.push("set counters");
    all.extend(cannot);
    let mut support = json!({"mode": "exact", "records": true, "cannot": all});
    if claims {
        support["claims"] = json!(["3.2.3", "3.8.0"]);
    }
    json!({"round-robin": support})
}

fn murmur2(mut behaviours: Value, claims: bool) -> Value {
    let support = json!({"mode": "exact", "operations": ["murmur2"], "cannot": ["null keys"]});
    behaviours["murmur2"] = support;
    if claims {
        behaviours["murmur2"]["claims"] = json!(["2.3.1", "3.2.3", "3.8.0", "4.4.0"]);
    }
    behaviours
}

/// The version that Cargo.lock has, which is the one built in.
fn locked(library: &str) -> String {
    let lock = include_str!("../Cargo.lock");
    let start = format!("name = \"{library}\"\nversion = \"");
    let at = lock.find(&start).map(|at| at + start.len());
    at.and_then(|at| lock[at..].split('"').next()).unwrap_or("unknown").to_string()
}

/// None if there is no such testee.
fn testee(partitioner: &str) -> io::Result<Option<Testee>> {
    // Only the number of partitions is seen, so every one counts as available.
    let bare = ["gaps in ids", "leaderless partitions", "no available partition"];
    type Start = Box<dyn Fn() -> Box<dyn Session>>;
    type Hash = Option<fn(&[u8]) -> i32>;
    let barnabas = |kind: Partitioner| -> Start { Box::new(move || Box::new(direct::Barnabas(kind, 0))) };
    let (name, library, behaviours, start, hash): (&str, &str, Value, Start, Hash) =
        match partitioner {
            "kafka" => {
                let broker = Rc::new(RefCell::new(broker::Broker::start()?));
                // It indexes partitions by id, so that ids with gaps make it panic (its
                // client/state.rs); its producer sends nothing while there is no leader.
                let mut keyed = keyed(false);
                keyed["cannot"].as_array_mut().expect("a list").push(json!("no available partition"));
                let named = json!({"mode": "exact", "cannot": ["null metadata", "unknown topics",
                    "null topics", "gaps in ids", "no available partition"]});
                let behaviours = null_keys(json!({"keyed": keyed, "explicit-partition": named}),
                    &["gaps in ids", "no available partition"]);
                let start = move || -> Box<dyn Session> { Box::new(kafka_rust::KafkaRust(broker.clone())) };
                ("kafka-rust DefaultPartitioner", "kafka", behaviours, Box::new(start), None)
            }
            "krafka-round-robin" => ("krafka RoundRobinPartitioner", "krafka",
                round_robin(&bare, false),
                Box::new(|| Box::new(direct::KrafkaRoundRobin::default())), None),
            "krafka-murmur2" => ("krafka murmur2", "krafka", murmur2(json!({}), true),
                Box::new(|| Box::new(direct::KrafkaMurmur2)),
                Some(|key| krafka::producer::murmur2(key) as i32)),
            "kacrab-round-robin" => ("kacrab RoundRobinPartitioner", "kacrab",
                round_robin(&[], true),
                Box::new(|| Box::new(direct::KacrabRoundRobin::default())), None),
            "partitionline" => {
                let mut behaviours = null_keys(json!({"keyed": keyed(true)}), &bare);
                // "Java DefaultPartitioner: murmur2 when there is a key, round-robin if not":
                // the one before 2.4.
                behaviours["round-robin-null-key"]["claims"] = json!(["2.3.1"]);
                ("partitionline DefaultPartitioner", "partitionline", murmur2(behaviours, true),
                    Box::new(|| Box::new(direct::Partitionline::default())),
                    Some(partitionline::murmur2))
            }
            "barnabas-murmur2" => ("barnabas Partitioner::Murmur2", "barnabas-core",
                murmur2(null_keys(json!({"keyed": keyed(true)}), &bare), true),
                barnabas(Partitioner::Murmur2), Some(barnabas_core::partitioner::murmur2)),
            "barnabas-crc32" => ("barnabas Partitioner::Crc32", "barnabas-core",
                null_keys(json!({"keyed": keyed(false)}), &bare),
                barnabas(Partitioner::Crc32), None),
            _ => return Ok(None),
        };
    let (name, version) = (name.to_string(), locked(library));
    Ok(Some(Testee { name, version, behaviours, start, murmur2: hash }))
}

fn main() {
    let partitioner = std::env::args().nth(1).unwrap_or_default();
    let served = testee(&partitioner).and_then(|testee| match testee {
        Some(testee) => protocol::serve(&testee),
        None => {
            eprintln!("usage: rust-testee PARTITIONER, such as kafka; adapters.toml has them all");
            std::process::exit(2);
        }
    });
    if let Err(error) = served {
        eprintln!("{error}");
        std::process::exit(1);
    }
}
