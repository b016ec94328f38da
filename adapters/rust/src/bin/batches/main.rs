//! Rust clients' record batches as testees: batches LIBRARY

#[path = "../../broker.rs"]
mod broker;
mod cases;
mod child;
mod kafka_protocol;
mod library;
mod memory;
mod rskafka;

use std::env;
use std::io::{self, BufRead, Write};

use serde_json::{json, Value};

use child::Child;
use library::Library;

/// What no encoder that is handed all records can be asked, nor Rust's text be.
const ALL_AT_ONCE: [&str; 4] = [
    "open batches",
    "control batches",
    "null headers",
    "lone surrogates",
];

struct Testee {
    title: &'static str,
    library: &'static str,
    cannot: &'static [&'static str],
    operations: &'static [&'static str],
    /// Whether it is a whole client, which needs a broker.
    client: bool,
    /// In the child, with the broker's address.
    start: fn(&str) -> io::Result<Box<dyn Library>>,
}

const TESTEES: [Testee; 2] = [
    Testee {
        title: "kafka-protocol record batches",
        library: "kafka-protocol",
        // A record can say that its time is the broker's, but a batch cannot be given that time.
        cannot: &["log append time"],
        operations: &["append", "append at", "build"],
        client: false,
        start: |_| Ok(Box::new(kafka_protocol::KafkaProtocol)),
    },
    Testee {
        title: "rskafka record batches",
        library: "rskafka",
        // It has no transactions and no idempotence, and its times end in the year 262142.
        cannot: &[
            "producer state",
            "log append time",
            "base offsets",
            "leader epochs",
            "far times",
        ],
        operations: &["append", "build"],
        client: true,
        start: |address| Ok(Box::new(rskafka::Rskafka::start(address)?)),
    },
];

/// The version that Cargo.toml pins: Cargo.lock has another one of kafka-protocol, too.
fn pinned(library: &str) -> &'static str {
    let manifest = include_str!("../../../Cargo.toml");
    let line = manifest
        .lines()
        .find_map(|line| line.strip_prefix(library)?.strip_prefix(" = "));
    let version = line.and_then(|line| line.split("\"=").nth(1)?.split('"').next());
    version.unwrap_or("unknown")
}

fn hello(testee: &Testee) -> Value {
    let claims = ["2.3.1", "3.2.3", "3.8.0", "4.4.0"];
    let cannot: Vec<_> = ALL_AT_ONCE.iter().chain(testee.cannot).collect();
    json!({
        "type": "hello", "protocol": 1, "name": testee.title, "language": "Rust",
        "version": pinned(testee.library),
        "behaviours": {
            "record-batch": {
                "mode": "exact", "claims": claims, "cannot": cannot, "operations": testee.operations,
            },
            "batch-reading": {
                "mode": "exact", "claims": claims, "cannot": ["odd batches"], "operations": ["records"],
            },
        },
    })
}

/// Answers each line of the input with a line.
fn serve(mut answer: impl FnMut(&Value) -> io::Result<Value>) -> io::Result<()> {
    let mut out = io::BufWriter::new(io::stdout().lock());
    for line in io::stdin().lock().lines() {
        serde_json::to_writer(&mut out, &answer(&serde_json::from_str(&line?)?)?)?;
        out.write_all(b"\n")?;
        out.flush()?;
    }
    Ok(())
}

/// With an address, which may be empty, it is the child, which has the library.
fn run(testee: &Testee, address: Option<&String>) -> io::Result<()> {
    if let Some(address) = address {
        let mut library = (testee.start)(address)?;
        return serve(|step| Ok(cases::performed(library.as_mut(), step)));
    }
    let mut child = Child::new(testee.library, testee.client)?;
    serve(|question| match question["type"].as_str() {
        Some("hello") => Ok(hello(testee)),
        Some("cases") => cases::traces(&mut child, question),
        other => Err(io::Error::other(format!("a line of type {other:?}"))),
    })?;
    child.end()
}

fn main() {
    let words: Vec<String> = env::args().skip(1).collect();
    let name = words.first().map_or("", String::as_str);
    let Some(testee) = TESTEES.iter().find(|testee| testee.library == name) else {
        eprintln!("usage: batches LIBRARY: kafka-protocol or rskafka");
        std::process::exit(2);
    };
    if let Err(error) = run(testee, words.get(1)) {
        eprintln!("{error}");
        std::process::exit(1);
    }
}
