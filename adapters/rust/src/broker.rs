//! The Go adapters' broker (franz-go's kfake) in a process of its own, as ../../README.md describes it.

use std::io::{self, BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{json, Value};

/// Testees run in the folder of their adapters.toml.
const PROGRAM: &str = "../go/testee-bin";

pub struct Broker {
    /// As clients want it.
    pub address: String,
    process: Child,
    /// None once it is to end.
    questions: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
}

impl Broker {
    pub fn start() -> io::Result<Broker> {
        let mut command = Command::new(PROGRAM);
        command
            .arg("broker")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped());
        let mut process = command.spawn().map_err(|error| {
            failed(&format!(
                "{PROGRAM} does not start: {error}; adapters/run.py builds it"
            ))
        })?;
        let (questions, Some(answers)) = (process.stdin.take(), process.stdout.take()) else {
            return Err(failed("it has no pipes"));
        };
        let answers = BufReader::new(answers);
        let mut broker = Broker {
            address: String::new(),
            process,
            questions,
            answers,
        };
        let hello = broker.answer()?;
        broker.address = hello["address"].as_str().unwrap_or_default().into();
        Ok(broker)
    }

    /// Asks, and answers its answer.
    pub fn ask(&mut self, question: &Value) -> io::Result<Value> {
        if let Some(questions) = &mut self.questions {
            // If this fails, there is no answer, either.
            let _ = writeln!(questions, "{question}");
        }
        self.answer()
    }

    /// What a topic looks like from now on: ids, and whether they have a leader.
    pub fn set(&mut self, topic: &str, partitions: &[(i32, Option<i32>)]) -> io::Result<()> {
        self.ask(&json!({"op": "topics", "topics": {topic: partitions}}))?;
        Ok(())
    }

    fn answer(&mut self) -> io::Result<Value> {
        let mut line = String::new();
        if self.answers.read_line(&mut line)? == 0 {
            return Err(failed("it has ended"));
        }
        let answer: Value = serde_json::from_str(&line)?;
        match answer["error"].as_str() {
            Some(why) => Err(failed(why)),
            None => Ok(answer),
        }
    }
}

impl Drop for Broker {
    /// It ends as its input does, and before the testee: the suite would take it for left behind.
    fn drop(&mut self) {
        self.questions = None;
        let _ = self.process.wait();
    }
}

fn failed(why: &str) -> io::Error {
    io::Error::other(format!("the broker: {why}"))
}
