//! The testee protocol (docs/protocol.md) for testees written in Rust: lines in, lines out.

use std::io::{self, BufRead, Write};

use serde_json::{json, Map, Value};

/// A partition's id and its leader, if it has one.
pub type Partition = (i32, Option<i32>);

/// What a library says when it is asked for a partition.
pub enum Answer {
    Partition(i32),
    /// The library's own error, of the protocol's kind "other".
    Error(String),
    /// The library's error for a partition that it does not accept: of the kind "argument".
    #[allow(dead_code)] // of those that share this file only rdkafka has such an error
    Refused(String),
}

/// One producer's partitioner: asked for record after record.
pub trait Session {
    fn partition(&mut self, topic: &str, key: Option<&[u8]>, partitions: &[Partition]) -> Answer;

    /// A record that may name its partition.
    fn record(&mut self, named: Option<i32>, key: Option<&[u8]>, partitions: &[Partition]) -> Answer {
        let _ = (named, key, partitions);
        Answer::Error("no record of this library's can name a partition here".into())
    }

    /// Many records of one topic.
    fn partitions(
        &mut self,
        keys: &[Option<Vec<u8>>],
        partitions: &[Partition],
    ) -> Result<Vec<i32>, String> {
        keys.iter()
            .map(|key| match self.partition("t", key.as_deref(), partitions) {
                Answer::Partition(partition) => Ok(partition),
                Answer::Error(message) | Answer::Refused(message) => Err(message),
            })
            .collect()
    }
}

pub struct Testee {
    pub name: String,
    pub version: String,
    pub behaviours: Value,
    /// A new partitioner; each case and each question about records gets one.
    pub start: Box<dyn Fn() -> Box<dyn Session>>,
    /// The library's murmur2, if it is public.
    pub murmur2: Option<fn(&[u8]) -> i32>,
}

/// Says hello, then answers until the input ends.
pub fn serve(testee: &Testee) -> io::Result<()> {
    let mut out = io::BufWriter::new(io::stdout().lock());
    for line in io::stdin().lock().lines() {
        let question: Value = serde_json::from_str(&line?)?;
        let answer = match question["type"].as_str() {
            Some("hello") => json!({
                "type": "hello", "protocol": 1, "name": testee.name, "version": testee.version,
                "language": "Rust", "behaviours": testee.behaviours,
            }),
            Some("cases") => {
                let cases = question["cases"].as_array();
                let traces = cases.into_iter().flatten().map(|case| trace(testee, case));
                json!({"type": "traces", "id": question["id"],
                       "traces": traces.collect::<Vec<_>>()})
            }
            Some("records") => records(testee, &question),
            other => return Err(io::Error::other(format!("a line of type {other:?}"))),
        };
        serde_json::to_writer(&mut out, &answer)?;
        out.write_all(b"\n")?;
        out.flush()?;
    }
    Ok(())
}

fn trace(testee: &Testee, case: &Value) -> Value {
    let mut session = (testee.start)();
    let mut answers = Vec::new();
    for step in case["steps"].as_array().into_iter().flatten() {
        let key = step["key"]["hex"].as_str().map(unhex);
        let answer = match (step["op"].as_str(), &key) {
            (Some("partition"), _) => {
                let partitions = topic_partitions(case, step);
                session.partition(topic_name(step), key.as_deref(), &partitions)
            }
            (Some("record"), _) => {
                let named = step["partition"].as_i64().map(|partition| partition as i32);
                session.record(named, key.as_deref(), &topic_partitions(case, step))
            }
            (Some("partition for key"), Some(key)) => {
                let count = step["partitions"].as_i64().unwrap_or(0) as i32;
                let partitions: Vec<Partition> = (0..count).map(|id| (id, Some(0))).collect();
                session.partition("t", Some(key), &partitions)
            }
            (Some("murmur2"), Some(key)) => match testee.murmur2 {
                Some(murmur2) => Answer::Partition(murmur2(key)),
                None => return json!({"could not try": "its murmur2 is private"}),
            },
            (op, _) => return json!({"could not try": format!("no way to ask for {op:?}")}),
        };
        answers.push(match answer {
            Answer::Partition(partition) => json!(partition),
            Answer::Error(message) => json!({"error": "other", "message": message}),
            Answer::Refused(message) => json!({"error": "argument", "message": message}),
        });
    }
    Value::Array(answers)
}

fn topic_name(step: &Value) -> &str {
    step["topic"].as_str().unwrap_or_default()
}

/// The partitions of the step's topic in the snapshot that the step sees.
fn topic_partitions(case: &Value, step: &Value) -> Vec<Partition> {
    let at = step["metadata"].as_u64().unwrap_or(0) as usize;
    let topics = case["metadata"][at].as_array();
    let found = topics.into_iter().flatten().find(|topic| topic[0] == step["topic"]);
    found.map(|topic| read_partitions(&topic[1])).unwrap_or_default()
}

fn read_partitions(partitions: &Value) -> Vec<Partition> {
    let read = |pair: &Value| (pair[0].as_i64().unwrap_or(0) as i32,
                               pair[1].as_i64().map(|leader| leader as i32));
    partitions.as_array().into_iter().flatten().map(read).collect()
}

fn records(testee: &Testee, question: &Value) -> Value {
    let partitions = read_partitions(&question["partitions"]);
    let mut keys: Vec<Option<Vec<u8>>> = Vec::new();
    if let Some(hex) = question["keys"].as_array() {
        keys.extend(hex.iter().map(|key| key.as_str().map(unhex)));
    } else {
        let closes = question["closes"].as_array().map_or(0, Vec::len);
        keys.resize(question["count"].as_u64().map_or(closes, |count| count as usize), None);
    }
    let mut answer = Map::from_iter([
        ("type".to_string(), json!("partitions")),
        ("id".to_string(), question["id"].clone()),
    ]);
    match (testee.start)().partitions(&keys, &partitions) {
        Ok(chosen) => answer.insert("partitions".into(), json!(chosen)),
        Err(why) => answer.insert("could not try".into(), json!(why)),
    };
    Value::Object(answer)
}

fn unhex(hex: &str) -> Vec<u8> {
    let digit = |c: u8| (c as char).to_digit(16).expect("keys are hex") as u8;
    hex.as_bytes().chunks(2).map(|pair| digit(pair[0]) << 4 | digit(pair[1])).collect()
}
