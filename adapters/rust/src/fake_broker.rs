//! Just enough of a Kafka broker for a producer that wants metadata (version 0) and sends records
//! without waiting for an acknowledgement.

use std::io::{self, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

use crate::protocol::Partition;

const METADATA: i16 = 3;

#[derive(Clone)]
pub struct FakeBroker {
    pub port: u16,
    partitions: Arc<Mutex<Vec<Partition>>>,
}

impl FakeBroker {
    pub fn start() -> io::Result<FakeBroker> {
        let listener = TcpListener::bind(("127.0.0.1", 0))?;
        let port = listener.local_addr()?.port();
        let broker = FakeBroker { port, partitions: Arc::default() };
        let serving = broker.clone();
        thread::spawn(move || {
            for connection in listener.incoming().flatten() {
                let broker = serving.clone();
                thread::spawn(move || broker.serve(connection));
            }
        });
        Ok(broker)
    }

    /// What topic "t" looks like from now on.
    pub fn set(&self, partitions: &[Partition]) {
        *self.partitions.lock().unwrap() = partitions.to_vec();
    }

    /// Until the client leaves: that is the error it ends with.
    fn serve(&self, mut connection: TcpStream) -> io::Result<()> {
        loop {
            let mut length = [0; 4];
            connection.read_exact(&mut length)?;
            let mut request = vec![0; i32::from_be_bytes(length) as usize];
            connection.read_exact(&mut request)?;
            if i16::from_be_bytes([request[0], request[1]]) == METADATA {
                let mut answer = request[4..8].to_vec(); // the correlation id
                self.metadata(&mut answer);
                connection.write_all(&(answer.len() as i32).to_be_bytes())?;
                connection.write_all(&answer)?;
            }
        }
    }

    fn metadata(&self, out: &mut Vec<u8>) {
        let int32 = |out: &mut Vec<u8>, value: i32| out.extend(value.to_be_bytes());
        let text = |out: &mut Vec<u8>, value: &str| {
            out.extend((value.len() as i16).to_be_bytes());
            out.extend(value.as_bytes());
        };
        int32(out, 1); // brokers: all leaders are this one
        int32(out, 0);
        text(out, "127.0.0.1");
        int32(out, self.port.into());
        int32(out, 1); // topics
        out.extend([0, 0]); // no error
        text(out, "t");
        let partitions = self.partitions.lock().unwrap();
        int32(out, partitions.len() as i32);
        for (id, leader) in partitions.iter() {
            out.extend([0, if leader.is_some() { 0 } else { 5 }]); // LEADER_NOT_AVAILABLE
            int32(out, *id);
            int32(out, if leader.is_some() { 0 } else { -1 });
            int32(out, 0); // replicas
            int32(out, 0); // in sync
        }
    }
}
