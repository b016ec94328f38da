//! The crate rskafka: its whole client, which produces to a fake broker and fetches from it.

use std::io;

use rskafka::chrono::{TimeZone, Utc};
use rskafka::client::partition::{Compression, PartitionClient, UnknownTopicHandling};
use rskafka::client::{error::Error, ClientBuilder};
use rskafka::record::{Record as Theirs, RecordAndOffset};
use tokio::runtime::{Builder, Runtime};

use crate::child::TOPIC;
use crate::library::{Batch, Library, Read, Record, Unwritten};

const MOST_BYTES: i32 = i32::MAX;

pub struct Rskafka {
    runtime: Runtime,
    client: PartitionClient,
}

impl Rskafka {
    pub fn start(broker: &str) -> io::Result<Rskafka> {
        let runtime = Builder::new_current_thread().enable_all().build()?;
        let connected = async {
            let client = ClientBuilder::new(vec![broker.to_string()]).build().await?;
            client
                .partition_client(TOPIC, 0, UnknownTopicHandling::Error)
                .await
        };
        let client: Result<_, Error> = runtime.block_on(connected);
        let client = client.map_err(io::Error::other)?;
        Ok(Rskafka { runtime, client })
    }
}

impl Library for Rskafka {
    /// The batch is with the broker.
    fn write(&mut self, batch: Batch) -> Result<Vec<u8>, Unwritten> {
        let compression = match batch.codec.as_str() {
            "gzip" => Compression::Gzip,
            "snappy" => Compression::Snappy,
            "lz4" => Compression::Lz4,
            "zstd" => Compression::Zstd,
            _ => Compression::NoCompression,
        };
        let records: Vec<Theirs> = batch
            .records
            .into_iter()
            .map(theirs)
            .collect::<Result<_, _>>()?;
        self.runtime
            .block_on(self.client.produce(records, compression))
            .map_err(|error| Unwritten::Error(error.to_string()))?;
        Ok(Vec::new())
    }

    /// The bytes are with the broker.
    fn read(&mut self, _: Vec<u8>) -> Read {
        match self
            .runtime
            .block_on(self.client.fetch_records(i64::MIN, 0..MOST_BYTES, 0))
        {
            Ok((records, _)) => (records.into_iter().map(ours).collect(), None),
            Err(error) => (Vec::new(), Some(error.to_string())),
        }
    }
}

/// Its headers are a map: of two of one name, a program can only give it one.
fn theirs(record: Record) -> Result<Theirs, Unwritten> {
    let could_not = |why: &str| Unwritten::CouldNotTry(why.into());
    let timestamp = Utc
        .timestamp_millis_opt(record.timestamp)
        .single()
        .ok_or_else(|| could_not("a time after the year 262142"))?;
    let headers = record.headers.into_iter();
    let headers: Option<_> = headers
        .map(|(name, value)| value.map(|value| (name, value)))
        .collect();
    Ok(Theirs {
        key: record.key,
        value: record.value,
        headers: headers.ok_or_else(|| could_not("a header whose value is null"))?,
        timestamp,
    })
}

fn ours(read: RecordAndOffset) -> Record {
    let RecordAndOffset { record, offset } = read;
    Record {
        offset,
        timestamp: record.timestamp.timestamp_millis(),
        key: record.key,
        value: record.value,
        headers: record
            .headers
            .into_iter()
            .map(|(name, value)| (name, Some(value)))
            .collect(),
    }
}
