//! Documents that arrive in parts.

use crate::limits::MAX_DOCUMENT;
#[cfg(any(unix, test))]
use crate::limits::PART;
#[cfg(any(unix, test))]
use crate::message::Message;
use crate::message::Part;

/// The document that is arriving.
#[derive(Debug, Default)]
pub struct Documents {
    arriving: Option<Part>,
}

impl Documents {
    /// Adds a part, and returns the document that it completes. One that is longer than 256 MiB never is.
    pub fn add(&mut self, part: Part) -> Option<(String, Vec<u8>)> {
        if part.is_first {
            self.arriving = Some(Part { bytes: Vec::new(), ..part.clone() });
        }
        // The rest of a document whose begin was not sent, or that is too long.
        let arriving = self.arriving.as_mut().filter(|arriving| arriving.name == part.name)?;
        if arriving.bytes.len() + part.bytes.len() > MAX_DOCUMENT {
            self.arriving = None;
            return None;
        }
        arriving.bytes.extend_from_slice(&part.bytes);
        if !part.is_last {
            return None;
        }
        self.arriving.take().map(|whole| (whole.name, whole.bytes))
    }
}

/// Returns the messages of a document.
#[cfg(any(unix, test))]
pub(crate) fn messages(name: &str, bytes: &[u8]) -> impl Iterator<Item = Message> {
    let count = bytes.len().div_ceil(PART).max(1);
    (0..count).map(move |index| {
        let begin = index * PART;
        let bytes = bytes.get(begin..bytes.len().min(begin + PART)).unwrap_or_default().to_vec();
        let (is_first, is_last) = (index == 0, index + 1 == count);
        Message::Document(Part { name: name.to_owned(), is_first, is_last, bytes })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(name: &str, bytes: &[u8]) -> Vec<Part> {
        let part = |message| match message {
            Message::Document(part) => part,
            other => panic!("{other:?}"),
        };
        messages(name, bytes).map(part).collect()
    }

    #[test]
    fn a_document_is_whole_or_not_there() {
        for length in [0, 1, PART, PART + 1, 3 * PART] {
            let bytes: Vec<u8> =
                (0..length).map(|index| index.to_le_bytes()[0] ^ index.to_le_bytes()[1]).collect();
            let mut documents = Documents::default();
            let mut arrived: Vec<_> =
                parts("a", &bytes).into_iter().map(|part| documents.add(part)).collect();
            assert_eq!(arrived.pop().unwrap(), Some(("a".to_owned(), bytes)), "{length}");
            assert!(arrived.iter().all(Option::is_none));
        }
    }

    #[test]
    fn a_document_that_was_given_up_is_replaced_by_the_next() {
        let mut documents = Documents::default();
        let long = parts("a", &[1; 2 * PART]);
        assert_eq!(documents.add(long[0].clone()), None);
        let short = parts("a", b"new").remove(0);
        assert_eq!(documents.add(short), Some(("a".to_owned(), b"new".to_vec())));
        assert_eq!(documents.add(long[1].clone()), None);
    }

    #[test]
    fn a_document_without_an_end_takes_no_more_than_it_may() {
        let mut documents = Documents::default();
        let part = |is_first| Part { is_first, bytes: vec![0; 16 << 20], ..Part::default() };
        assert_eq!(documents.add(part(true)), None);
        for _ in 0..15 {
            assert_eq!(documents.add(part(false)), None);
        }
        assert_eq!(documents.arriving.as_ref().unwrap().bytes.len(), MAX_DOCUMENT);
        assert_eq!(documents.add(part(false)), None);
        assert!(documents.arriving.is_none());
    }
}
