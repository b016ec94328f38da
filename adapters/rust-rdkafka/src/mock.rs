//! Records produced with the crate's producer to the crate's mock cluster.

use std::ffi::CString;
use std::ptr::null_mut;
use std::sync::Mutex;
use std::thread::sleep;
use std::time::{Duration, Instant};

use rdkafka::bindings::{
    rd_kafka_topic_destroy, rd_kafka_topic_new, rd_kafka_topic_partition_available,
};
use rdkafka::config::ClientConfig;
use rdkafka::error::{KafkaError, RDKafkaErrorCode};
use rdkafka::mocking::MockCluster;
use rdkafka::producer::{
    BaseProducer, BaseRecord, DeliveryResult, Producer, ProducerContext, PurgeConfig,
};
use rdkafka::ClientContext;

use crate::protocol::{Answer, Partition};

const TIMEOUT: Duration = Duration::from_secs(10);

/// librdkafka's mock misses a request that comes while it finishes the one before, and then finds
/// it a second later.
const MOCK_PAUSE: Duration = Duration::from_micros(500);

/// Which partition each record was given, from its delivery report.
struct Reports(Mutex<Vec<Option<i32>>>);

impl ClientContext for Reports {}

impl ProducerContext for Reports {
    type DeliveryOpaque = usize;

    fn delivery(&self, result: &DeliveryResult<'_>, record: usize) {
        use rdkafka::message::Message;
        let message = match result {
            Ok(message) => message,
            Err((_, message)) => message, // purged, but a partition it was given
        };
        self.0.lock().unwrap()[record] = Some(message.partition());
    }
}

/// What all records of a question have in common.
#[derive(Clone, Copy)]
pub struct Alike<'a> {
    pub key: Option<&'a [u8]>,
    pub partition: Option<i32>,
}

/// A fresh producer in librdkafka's defaults, but for room for all records, and fresh brokers. The
/// partition of each record, or else the error as an answer.
pub fn produce(
    partitioner: &str,
    linger: &str,
    partitions: &[Partition],
    alike: Alike<'_>,
    count: usize,
) -> Result<Vec<i32>, Answer> {
    let text = |error: KafkaError| Answer::Error(error.to_string());
    let cluster = MockCluster::new(3).map_err(text)?;
    sleep(MOCK_PAUSE);
    cluster.create_topic("t", partitions.len() as i32, 3).map_err(text)?;
    for (id, leader) in partitions {
        if leader.is_none() {
            sleep(MOCK_PAUSE);
            cluster.partition_leader("t", *id, None).map_err(text)?;
        }
    }
    let producer: BaseProducer<Reports> = ClientConfig::new()
        .set("bootstrap.servers", cluster.bootstrap_servers())
        .set("log_level", "3")
        .set("partitioner", partitioner)
        .set("sticky.partitioning.linger.ms", linger)
        .set("queue.buffering.max.messages", "10000000")
        .set("queue.buffering.max.kbytes", "2097151")
        .create_with_context(Reports(Mutex::new(vec![None; count])))
        .map_err(text)?;
    wait_for_leaders(&producer, partitions).map_err(Answer::Error)?;

    for record in 0..count {
        let mut base: BaseRecord<'_, [u8], [u8], usize> = BaseRecord::with_opaque_to("t", record);
        base.key = alike.key;
        base.partition = alike.partition;
        producer.send(base).map_err(|(error, _)| refused(&error))?;
    }
    // Those of a leaderless partition would wait for ever; what was sent is reported by the mock.
    producer.purge(PurgeConfig::default().queue().inflight());
    let end = Instant::now() + TIMEOUT;
    while producer.in_flight_count() > 0 && Instant::now() < end {
        producer.poll(Duration::from_millis(10));
    }
    let reports = producer.context().0.lock().unwrap();
    let missing = || Answer::Error("a delivery report is missing".into());
    reports.iter().map(|partition| partition.ok_or_else(missing)).collect()
}

fn refused(error: &KafkaError) -> Answer {
    match error {
        KafkaError::MessageProduction(RDKafkaErrorCode::UnknownPartition) => {
            Answer::Refused(error.to_string())
        }
        _ => Answer::Error(error.to_string()),
    }
}

/// The metadata is known at once, but a broker's thread takes over its partitions a moment later;
/// until then they count as leaderless. The documentation wants rd_kafka_topic_partition_available
/// called from partitioners only, as they run under the topic's lock; here nothing else uses it.
fn wait_for_leaders(
    producer: &BaseProducer<Reports>,
    partitions: &[Partition],
) -> Result<(), String> {
    let name = CString::new("t").expect("no NUL");
    let rk = producer.client().native_ptr();
    let topic = unsafe { rd_kafka_topic_new(rk, name.as_ptr(), null_mut()) };
    producer.client().fetch_metadata(Some("t"), TIMEOUT).map_err(|error| error.to_string())?;
    let ready = || {
        partitions.iter().all(|(id, leader)| {
            let available = unsafe { rd_kafka_topic_partition_available(topic, *id) } == 1;
            available == leader.is_some()
        })
    };
    let end = Instant::now() + TIMEOUT;
    while !ready() && Instant::now() < end {
        sleep(Duration::from_micros(200));
    }
    let taken_over = ready();
    unsafe { rd_kafka_topic_destroy(topic) };
    if taken_over { Ok(()) } else { Err("the mock brokers did not take over".into()) }
}
