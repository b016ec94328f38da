//! The crate kafka-protocol: its own encoder and decoder of record batches, which clients and proxies
//! call on the bytes of Produce and Fetch messages.

use bytes::{Buf, Bytes, BytesMut};
use kafka_protocol::protocol::StrBytes;
use kafka_protocol::records::{
    Compression, Record as Theirs, RecordBatchDecoder, RecordBatchEncoder, RecordEncodeOptions,
    TimestampType, NO_PARTITION_LEADER_EPOCH,
};

use crate::library::{Batch, Library, Read, Record, Unwritten};

pub struct KafkaProtocol;

impl Library for KafkaProtocol {
    fn write(&mut self, batch: Batch) -> Result<Vec<u8>, Unwritten> {
        let compression = match batch.codec.as_str() {
            "gzip" => Compression::Gzip,
            "snappy" => Compression::Snappy,
            "lz4" => Compression::Lz4,
            "zstd" => Compression::Zstd,
            _ => Compression::None,
        };
        let options = RecordEncodeOptions {
            version: 2,
            compression,
        };
        let first = batch.records.first().map(|record| record.offset);
        if first != Some(batch.base_offset) {
            let why = "the batch's first offset is the first record's";
            return Err(Unwritten::CouldNotTry(why.into()));
        }
        let records: Vec<Theirs> = batch
            .records
            .iter()
            .map(|record| theirs(&batch, record))
            .collect();
        let mut written = BytesMut::new();
        RecordBatchEncoder::encode(&mut written, &records, &options)
            .map_err(|error| Unwritten::Error(format!("{error:#}")))?;
        Ok(written.to_vec())
    }

    /// One batch after the other: `decode_all` gives none of them if one is refused.
    fn read(&mut self, data: Vec<u8>) -> Read {
        let mut left = Bytes::from(data);
        let mut records = Vec::new();
        while left.has_remaining() {
            match RecordBatchDecoder::decode(&mut left) {
                // Its documentation: control records should not be exposed to the client.
                Ok(set) => records.extend(set.records.iter().filter(|one| !one.control).map(ours)),
                Err(error) => return (records, Some(format!("{error:#}"))),
            }
        }
        (records, None)
    }
}

/// Its headers are a map: of two of one name, a program can only give it one.
fn theirs(batch: &Batch, record: &Record) -> Theirs {
    let name = |name: &str| StrBytes::from_string(name.into());
    let held = |data: &Option<Vec<u8>>| data.clone().map(Bytes::from);
    Theirs {
        transactional: batch.transactional,
        control: false,
        delete_horizon: false,
        partition_leader_epoch: batch.leader_epoch.unwrap_or(NO_PARTITION_LEADER_EPOCH),
        producer_id: batch.producer_id,
        producer_epoch: batch.epoch,
        timestamp_type: TimestampType::Creation,
        offset: record.offset,
        // Records whose sequences do not go with their offsets would become batches of their own.
        sequence: batch
            .sequence
            .wrapping_add((record.offset - batch.base_offset) as i32),
        timestamp: record.timestamp,
        key: held(&record.key),
        value: held(&record.value),
        headers: record
            .headers
            .iter()
            .map(|(key, value)| (name(key), held(value)))
            .collect(),
    }
}

fn ours(record: &Theirs) -> Record {
    let held = |data: &Option<Bytes>| data.as_ref().map(|data| data.to_vec());
    Record {
        offset: record.offset,
        timestamp: record.timestamp,
        key: held(&record.key),
        value: held(&record.value),
        headers: record
            .headers
            .iter()
            .map(|(key, value)| (key.to_string(), held(value)))
            .collect(),
    }
}
