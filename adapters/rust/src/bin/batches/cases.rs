//! Cases (docs/protocol.md) as questions to the child, and the child's answers.

use std::io;

use serde_json::{json, Value};

use crate::child::Child;
use crate::library::{Batch, Header, Library, Record, Unwritten};

/// The answer to a question with cases.
pub fn traces(child: &mut Child, question: &Value) -> io::Result<Value> {
    let cases = question["cases"].as_array().into_iter().flatten();
    let traces: Vec<Value> = cases
        .map(|case| trace(child, case))
        .collect::<io::Result<_>>()?;
    Ok(json!({"type": "traces", "id": question["id"], "traces": traces}))
}

/// The child is asked to read some bytes, or to build a whole case.
fn trace(child: &mut Child, case: &Value) -> io::Result<Value> {
    let mut answers = Vec::new();
    for step in case["steps"].as_array().into_iter().flatten() {
        let answer = match step["op"].as_str() {
            Some("append" | "append at") => Value::Null,
            Some("build") => child.write(case)?,
            Some("records") => child.read(step)?,
            op => json!({"could not try": format!("no way to ask for {op:?}")}),
        };
        if answer.get("could not try").is_some() {
            return Ok(answer);
        }
        answers.push(answer);
    }
    Ok(Value::Array(answers))
}

/// In the child: what the library makes of the bytes, or of the case.
pub fn performed(library: &mut dyn Library, asked: &Value) -> Value {
    if let Some(data) = bytes_of(&asked["data"]) {
        let (records, refused) = library.read(data);
        let mut rows: Vec<Value> = records.iter().map(row).collect();
        if let Some(why) = refused {
            eprintln!("refused: {why:.200}");
            rows.push(json!("refused"));
        }
        return Value::Array(rows);
    }
    match library.write(batch_of(asked)) {
        Ok(data) => hex(&data),
        Err(Unwritten::Error(message)) => {
            json!({"error": "other", "message": format!("{message:.500}")})
        }
        Err(Unwritten::CouldNotTry(why)) => json!({"could not try": why}),
    }
}

/// All records of a case, each append as often as it says.
fn batch_of(case: &Value) -> Batch {
    let config = &case["config"];
    let base_offset = long(&config["base_offset"]);
    let mut offset = base_offset;
    let mut records = Vec::new();
    for step in case["steps"].as_array().into_iter().flatten() {
        if step["op"] == "build" {
            continue;
        }
        if step["op"] == "append at" {
            offset = long(&step["offset"]);
        }
        for _ in 0..step["times"].as_u64().unwrap_or(1) {
            records.push(record_of(step, offset));
            offset += 1;
        }
    }
    Batch {
        codec: config["codec"].as_str().unwrap_or_default().into(),
        base_offset,
        leader_epoch: config["leader_epoch"].as_i64().map(|epoch| epoch as i32),
        producer_id: long(&config["producer_id"]),
        epoch: config["epoch"].as_i64().unwrap_or(-1) as i16,
        sequence: config["sequence"].as_i64().unwrap_or(-1) as i32,
        transactional: config["transactional"] == true,
        records,
    }
}

fn record_of(step: &Value, offset: i64) -> Record {
    let header = |pair: &Value| -> Header {
        (
            pair[0].as_str().unwrap_or_default().into(),
            bytes_of(&pair[1]),
        )
    };
    Record {
        offset,
        timestamp: long(&step["timestamp"]),
        key: bytes_of(&step["key"]),
        value: bytes_of(&step["value"]),
        headers: step["headers"]
            .as_array()
            .into_iter()
            .flatten()
            .map(header)
            .collect(),
    }
}

/// A record as a consumer hands it out.
fn row(record: &Record) -> Value {
    let held = |data: &Option<Vec<u8>>| data.as_deref().map_or(Value::Null, hex);
    let headers = record
        .headers
        .iter()
        .map(|(name, value)| json!([name, held(value)]));
    json!([
        {"int64": record.offset.to_string()}, {"int64": record.timestamp.to_string()},
        held(&record.key), held(&record.value), headers.collect::<Vec<_>>(),
    ])
}

/// 64-bit numbers are text.
fn long(value: &Value) -> i64 {
    value
        .as_str()
        .and_then(|text| text.parse().ok())
        .expect("a number of 64 bits")
}

fn bytes_of(value: &Value) -> Option<Vec<u8>> {
    let digit = |c: u8| (c as char).to_digit(16).expect("bytes are hex") as u8;
    let hex = value["hex"].as_str()?;
    Some(
        hex.as_bytes()
            .chunks(2)
            .map(|pair| digit(pair[0]) << 4 | digit(pair[1]))
            .collect(),
    )
}

fn hex(data: &[u8]) -> Value {
    let digit = |nibble: u8| char::from_digit(nibble.into(), 16).expect("four bits");
    let text: String = data
        .iter()
        .flat_map(|byte| [digit(byte >> 4), digit(byte & 15)])
        .collect();
    json!({"hex": text})
}
