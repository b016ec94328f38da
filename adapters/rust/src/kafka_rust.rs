//! The crate kafka (kafka-rust). What its DefaultPartitioner is handed, `Topics`, only its producer
//! can make. So each question gets a new producer, which reads the partitions from a fake broker;
//! the partitioner that it is given passes everything on to DefaultPartitioner and notes the choice.
//! DefaultPartitioner also sees the partition that a record names, and takes it unless it is negative.

use std::cell::RefCell;
use std::rc::Rc;

use kafka::client::{ProduceMessage, RequiredAcks};
use kafka::producer::{DefaultPartitioner, Partitioner, Producer, Record, Topics};

use crate::broker::Broker;
use crate::protocol::{Answer, Partition, Session};

#[derive(Default)]
struct Noting {
    library: DefaultPartitioner,
    chosen: Rc<RefCell<Vec<i32>>>,
    leader: i32,
}

impl Partitioner for Noting {
    fn partition(&mut self, topics: Topics<'_>, message: &mut ProduceMessage<'_, '_>) {
        self.library.partition(topics, message);
        self.chosen.borrow_mut().push(message.partition);
        // The producer fails with all records if one is for a leaderless partition.
        message.partition = self.leader;
    }
}

pub struct KafkaRust(pub Rc<RefCell<Broker>>);

impl Session for KafkaRust {
    fn partition(&mut self, _: &str, key: Option<&[u8]>, partitions: &[Partition]) -> Answer {
        match self.partitions(&[key.map(<[u8]>::to_vec)], partitions) {
            Ok(chosen) => Answer::Partition(chosen[0]),
            Err(message) => Answer::Error(message),
        }
    }

    fn record(&mut self, named: Option<i32>, key: Option<&[u8]>, partitions: &[Partition]) -> Answer {
        let mut record = record(key);
        if let Some(partition) = named {
            record = record.with_partition(partition);
        }
        match self.send(&[record], partitions) {
            Ok(chosen) => Answer::Partition(chosen[0]),
            Err(message) => Answer::Error(message),
        }
    }

    fn partitions(
        &mut self,
        keys: &[Option<Vec<u8>>],
        partitions: &[Partition],
    ) -> Result<Vec<i32>, String> {
        let records: Vec<_> = keys.iter().map(|key| record(key.as_deref())).collect();
        self.send(&records, partitions)
    }
}

/// The library takes an empty key for none (to_option in its producer.rs).
fn record(key: Option<&[u8]>) -> Record<'_, &[u8], &[u8]> {
    Record::from_key_value("t", key.unwrap_or(b""), &b"v"[..])
}

impl KafkaRust {
    fn send(
        &self,
        records: &[Record<'_, &[u8], &[u8]>],
        partitions: &[Partition],
    ) -> Result<Vec<i32>, String> {
        let with_leader = partitions.iter().find(|(_, leader)| leader.is_some());
        let (leader, _) = *with_leader.ok_or("the producer sends nothing without a leader")?;
        let mut broker = self.0.borrow_mut();
        // Without a broker nothing can be said of the library: then the testee ends.
        broker.set("t", partitions).expect("a broker that takes topics");
        let noting = Noting { leader, ..Noting::default() };
        let chosen = noting.chosen.clone();
        let mut producer = Producer::from_hosts(vec![broker.address.clone()])
            .with_required_acks(RequiredAcks::None)
            .with_partitioner(noting)
            .create()
            .map_err(|error| error.to_string())?;
        producer.send_all(records).map_err(|error| error.to_string())?;
        let chosen = chosen.take();
        if chosen.contains(&-1) {
            return Err("the library left a record without partition".into());
        }
        Ok(chosen)
    }
}
