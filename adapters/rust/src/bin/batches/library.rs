//! What a library is asked: to write records, and to read bytes.

/// A header's name and value; None is null.
pub type Header = (String, Option<Vec<u8>>);

/// A record that was written or read; None is null.
pub struct Record {
    pub offset: i64,
    pub timestamp: i64,
    pub key: Option<Vec<u8>>,
    pub value: Option<Vec<u8>>,
    pub headers: Vec<Header>,
}

/// What a case says of its batch.
pub struct Batch {
    pub codec: String,
    pub base_offset: i64,
    pub leader_epoch: Option<i32>,
    pub producer_id: i64,
    pub epoch: i16,
    pub sequence: i32,
    pub transactional: bool,
    pub records: Vec<Record>,
}

/// Why nothing was written.
pub enum Unwritten {
    /// The library's error.
    Error(String),
    /// The library's types cannot hold it.
    CouldNotTry(String),
}

/// What is read: records, and what the library stopped at, if anything.
pub type Read = (Vec<Record>, Option<String>);

pub trait Library {
    fn write(&mut self, batch: Batch) -> Result<Vec<u8>, Unwritten>;
    fn read(&mut self, data: Vec<u8>) -> Read;
}
