//! Libraries whose partitioners are public: called directly, with what their producers pass on.

use kacrab::producer::{ProducerPartitioner, ProducerRecord};
use kacrab::wire::{ClusterMetadata, PartitionMetadata, TopicMetadata};
use kacrab_protocol::KafkaUuid;
use krafka::producer::Partitioner as _;
use partitionline::Partitioner as _;

use crate::protocol::{Answer, Partition, Session};

/// krafka: handed the number of partitions.
#[derive(Default)]
pub struct KrafkaRoundRobin(krafka::producer::RoundRobinPartitioner);

impl Session for KrafkaRoundRobin {
    fn partition(&mut self, topic: &str, key: Option<&[u8]>, partitions: &[Partition]) -> Answer {
        Answer::Partition(self.0.partition(topic, key, partitions.len()))
    }
}

/// krafka's default partitioner is private, its murmur2 is not.
pub struct KrafkaMurmur2;

impl Session for KrafkaMurmur2 {
    fn partition(&mut self, _: &str, _: Option<&[u8]>, _: &[Partition]) -> Answer {
        Answer::Error("krafka's default partitioner is private".into())
    }
}

/// kacrab: handed the cluster's metadata. Its default partitioner is private.
#[derive(Default)]
pub struct KacrabRoundRobin(kacrab::producer::RoundRobinPartitioner);

impl Session for KacrabRoundRobin {
    fn partition(&mut self, topic: &str, key: Option<&[u8]>, partitions: &[Partition]) -> Answer {
        let mut record = ProducerRecord::unassigned(topic);
        if let Some(key) = key {
            record = record.key(key.to_vec());
        }
        match self.0.partition(&record, &cluster(topic, partitions)) {
            Ok(partition) => Answer::Partition(partition),
            Err(error) => Answer::Error(error.to_string()),
        }
    }

    fn partitions(
        &mut self,
        keys: &[Option<Vec<u8>>],
        partitions: &[Partition],
    ) -> Result<Vec<i32>, String> {
        let metadata = cluster("t", partitions); // built once, not for each record
        let record = ProducerRecord::unassigned("t");
        keys.iter()
            .map(|_| self.0.partition(&record, &metadata).map_err(|error| error.to_string()))
            .collect()
    }
}

fn cluster(topic: &str, partitions: &[Partition]) -> ClusterMetadata {
    let partition = |&(partition_index, leader): &Partition| PartitionMetadata {
        partition_index,
        leader_id: leader.unwrap_or(-1),
        leader_epoch: 0,
        replica_nodes: Vec::new(),
        isr_nodes: Vec::new(),
        offline_replicas: Vec::new(),
    };
    let topic = TopicMetadata {
        name: topic.to_string(),
        topic_id: KafkaUuid::ZERO,
        is_internal: false,
        partitions: partitions.iter().map(partition).collect(),
    };
    ClusterMetadata { cluster_id: None, controller_id: 0, brokers: Vec::new(), topics: vec![topic] }
}

/// partitionline: handed the number of partitions.
#[derive(Default)]
pub struct Partitionline(partitionline::DefaultPartitioner);

impl Session for Partitionline {
    fn partition(&mut self, topic: &str, key: Option<&[u8]>, partitions: &[Partition]) -> Answer {
        Answer::Partition(self.0.partition(topic, key, partitions.len() as i32))
    }
}

/// barnabas: handed the number of partitions; the counter for null keys is its caller's.
pub struct Barnabas(pub barnabas_core::Partitioner, pub u32);

impl Session for Barnabas {
    fn partition(&mut self, _: &str, key: Option<&[u8]>, partitions: &[Partition]) -> Answer {
        match self.0.partition_for(key, partitions.len() as i32, &mut self.1) {
            Some(partition) => Answer::Partition(partition),
            None => Answer::Error("no partition".into()),
        }
    }
}
