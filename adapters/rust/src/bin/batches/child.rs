//! The library in a process of its own. Damaged batches make some panic, or ask for so much memory
//! that Rust ends the process, which no code can catch.

use std::io::{self, BufRead, BufReader, Write};
use std::process::{self, ChildStdin, Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::time::Duration;
use std::{env, thread};

use serde_json::{json, Value};

use crate::broker::Broker;

pub const TOPIC: &str = "t";

const PATIENCE: Duration = Duration::from_secs(10);
/// For what ends by itself, as its input has.
const ENDING: Duration = Duration::from_secs(2);

pub struct Child {
    library: &'static str,
    /// For a whole client. It is ours, not the child's: a child that has died could not end it.
    broker: Option<Broker>,
    running: Option<Running>,
}

struct Running {
    process: process::Child,
    questions: ChildStdin,
    answers: Receiver<String>,
}

impl Child {
    pub fn new(library: &'static str, client: bool) -> io::Result<Child> {
        let mut broker = None;
        if client {
            let mut started = Broker::start()?;
            started.set(TOPIC, &[(0, Some(0))])?;
            broker = Some(started);
        }
        Ok(Child {
            library,
            broker,
            running: None,
        })
    }

    /// What the library makes of a step's bytes. A whole client fetches them from the broker.
    pub fn read(&mut self, step: &Value) -> io::Result<Value> {
        if let Some(broker) = &mut self.broker {
            broker.ask(&json!({"op": "hold", "data": step["data"]["hex"]}))?;
        }
        self.ask(step)
    }

    /// The batch of a case. Of a whole client it is what the broker was sent.
    pub fn write(&mut self, case: &Value) -> io::Result<Value> {
        let written = self.ask(case)?;
        let Some(broker) = &mut self.broker else {
            return Ok(written);
        };
        let produced = broker.ask(&json!({"op": "produced"}))?;
        if written.get("hex").is_none() {
            return Ok(written);
        }
        let batches = produced["batches"].as_array();
        Ok(match batches.and_then(|batches| batches.last()) {
            Some(batch) => json!({"hex": batch}),
            None => json!({"error": "other", "message": "the broker was sent nothing"}),
        })
    }

    /// The child's answer, or its end, which is an answer too. The next question gets a new child.
    fn ask(&mut self, question: &Value) -> io::Result<Value> {
        let mut running = match self.running.take() {
            Some(running) => running,
            None => {
                let address = self.broker.as_ref().map(|broker| broker.address.as_str());
                Running::start(self.library, address.unwrap_or_default())?
            }
        };
        match running.ask(question) {
            Some(answer) => {
                self.running = Some(running);
                Ok(serde_json::from_str(&answer)?)
            }
            None => Ok(json!({"error": "other", "message": running.end()?})),
        }
    }

    /// The suite takes a child that outlives its testee for one that was left behind.
    pub fn end(self) -> io::Result<()> {
        self.running
            .map_or(Ok(()), |running| running.end().map(|_| ()))
    }
}

impl Running {
    fn start(library: &str, address: &str) -> io::Result<Running> {
        let mut command = Command::new(env::current_exe()?);
        command
            .args([library, address])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped());
        let mut process = command.spawn()?;
        let (Some(questions), Some(answers)) = (process.stdin.take(), process.stdout.take()) else {
            return Err(io::Error::other("a child without pipes"));
        };
        let (heard, hears) = mpsc::channel();
        thread::spawn(move || {
            for line in BufReader::new(answers).lines().map_while(Result::ok) {
                if heard.send(line).is_err() {
                    break;
                }
            }
        });
        Ok(Running {
            process,
            questions,
            answers: hears,
        })
    }

    /// None if the child ends, or says nothing for too long.
    fn ask(&mut self, question: &Value) -> Option<String> {
        writeln!(self.questions, "{question}").ok()?;
        self.answers.recv_timeout(PATIENCE).ok()
    }

    /// How it ended; one that still runs is stopped.
    fn end(mut self) -> io::Result<String> {
        drop(self.questions);
        // A child that has closed its output is about to end by itself.
        let closed = self
            .answers
            .recv_timeout(ENDING)
            .is_err_and(|why| why == mpsc::RecvTimeoutError::Disconnected);
        if !closed {
            self.process.kill()?;
        }
        let status = self.process.wait()?;
        Ok(if closed {
            format!("the process ended: {status}")
        } else {
            "no answer for too long".into()
        })
    }
}
