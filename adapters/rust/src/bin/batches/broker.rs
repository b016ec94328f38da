//! Just enough of a Kafka broker for a client that produces a batch and fetches bytes: of one topic,
//! with one partition. Whatever is fetched are the bytes that it was last given to hold.

use std::io::{self, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

pub const TOPIC: &str = "t";

const PRODUCE: i16 = 0;
const FETCH: i16 = 1;
const METADATA: i16 = 3;
const API_VERSIONS: i16 = 18;
/// The only version of each that is answered; the client asks for API_VERSIONS 3 by itself.
const VERSIONS: [(i16, i16); 4] = [(PRODUCE, 3), (FETCH, 4), (METADATA, 1), (API_VERSIONS, 3)];
const PATIENCE: Duration = Duration::from_secs(5);

pub struct Broker {
    pub port: u16,
    held: Arc<Mutex<Vec<u8>>>,
    taken: Receiver<Vec<u8>>,
}

/// A connection's side of it.
#[derive(Clone)]
struct Serving {
    port: u16,
    held: Arc<Mutex<Vec<u8>>>,
    takes: Sender<Vec<u8>>,
}

impl Broker {
    pub fn start() -> io::Result<Broker> {
        let listener = TcpListener::bind(("127.0.0.1", 0))?;
        let port = listener.local_addr()?.port();
        let (takes, taken) = mpsc::channel();
        let held = Arc::<Mutex<Vec<u8>>>::default();
        let serving = Serving {
            port,
            held: held.clone(),
            takes,
        };
        thread::spawn(move || {
            for connection in listener.incoming().flatten() {
                let serving = serving.clone();
                thread::spawn(move || serving.serve(connection));
            }
        });
        Ok(Broker { port, held, taken })
    }

    /// What is fetched from now on.
    pub fn hold(&self, data: Vec<u8>) {
        *self.held.lock().expect("no thread panics") = data;
    }

    /// The records of the last request to produce.
    pub fn produced(&self) -> io::Result<Vec<u8>> {
        self.taken.recv_timeout(PATIENCE).map_err(io::Error::other)
    }
}

impl Serving {
    /// Until the client leaves: that is the error it ends with.
    fn serve(&self, mut connection: TcpStream) -> io::Result<()> {
        connection.set_nodelay(true)?;
        loop {
            let mut length = [0; 4];
            connection.read_exact(&mut length)?;
            let mut request = vec![0; i32::from_be_bytes(length) as usize];
            connection.read_exact(&mut request)?;
            let mut answer = vec![0; 4]; // its length
            answer.extend(&request[4..8]); // the correlation id
            self.answer(&request, &mut answer)?;
            let length = answer.len() as i32 - 4;
            answer[..4].copy_from_slice(&length.to_be_bytes());
            connection.write_all(&answer)?;
        }
    }

    fn answer(&self, request: &[u8], out: &mut Vec<u8>) -> io::Result<()> {
        match i16::from_be_bytes([request[0], request[1]]) {
            API_VERSIONS => api_versions(out),
            METADATA => self.metadata(out),
            FETCH => self.fetch(out),
            PRODUCE => self.take(request, out),
            api => return Err(io::Error::other(format!("nobody answers API {api}"))),
        }
        Ok(())
    }

    fn metadata(&self, out: &mut Vec<u8>) {
        int32(out, 1); // brokers
        int32(out, 0);
        text(out, "127.0.0.1");
        int32(out, self.port.into());
        int16(out, -1); // no rack
        int32(out, 0); // the controller
        int32(out, 1); // topics
        int16(out, 0); // no error
        text(out, TOPIC);
        out.push(0); // not internal
        int32(out, 1); // partitions
        int16(out, 0); // no error
        int32(out, 0);
        int32(out, 0); // its leader
        int32(out, 0); // replicas
        int32(out, 0); // in sync
    }

    fn fetch(&self, out: &mut Vec<u8>) {
        int32(out, 0); // no throttling
        int32(out, 1); // topics
        text(out, TOPIC);
        int32(out, 1); // partitions
        int32(out, 0);
        int16(out, 0); // no error
        out.extend(i64::MAX.to_be_bytes()); // the high watermark
        out.extend(i64::MAX.to_be_bytes()); // the last stable offset
        int32(out, -1); // no aborted transactions
        let held = self.held.lock().expect("no thread panics");
        int32(out, held.len() as i32);
        out.extend(&*held);
    }

    /// With one topic and one partition, the records are all that follows; there is no transaction.
    fn take(&self, request: &[u8], out: &mut Vec<u8>) {
        let client = 10 + u16::from_be_bytes([request[8], request[9]]) as usize; // where its id ends
        let (transaction, acks, timeout, count, partition, size) = (2, 2, 4, 4, 4, 4);
        let topic = count + 2 + TOPIC.len();
        let before = client + transaction + acks + timeout + topic + count + partition + size;
        // If nobody waits any more, nothing is lost.
        let _ = self.takes.send(request[before..].to_vec());
        int32(out, 1); // topics
        text(out, TOPIC);
        int32(out, 1); // partitions
        int32(out, 0);
        int16(out, 0); // no error
        out.extend([0; 8]); // the first offset
        out.extend([0xff; 8]); // no time of the broker's
        int32(out, 0); // no throttling
    }
}

fn api_versions(out: &mut Vec<u8>) {
    int16(out, 0); // no error
    out.push(VERSIONS.len() as u8 + 1);
    for (api, version) in VERSIONS {
        int16(out, api);
        int16(out, version);
        int16(out, version);
        out.push(0); // no tags
    }
    int32(out, 0); // no throttling
    out.push(0); // no tags
}

fn int16(out: &mut Vec<u8>, value: i16) {
    out.extend(value.to_be_bytes());
}

fn int32(out: &mut Vec<u8>, value: i32) {
    out.extend(value.to_be_bytes());
}

fn text(out: &mut Vec<u8>, value: &str) {
    int16(out, value.len() as i16);
    out.extend(value.as_bytes());
}
