//! Compressed integers (II.23.2), on the examples of the standard and at every boundary.

use sigparse::{ErrorKind, Reader};

fn unsigned(bytes: &[u8]) -> u32 {
    let mut reader = Reader::new(bytes);
    let value = reader.read_compressed_u32().unwrap();
    assert!(reader.is_empty());
    value
}

fn signed(bytes: &[u8]) -> i32 {
    let mut reader = Reader::new(bytes);
    let value = reader.read_compressed_i32().unwrap();
    assert!(reader.is_empty());
    value
}

#[test]
fn unsigned_examples_of_the_standard() {
    assert_eq!(unsigned(&[0x03]), 0x03);
    assert_eq!(unsigned(&[0x7F]), 0x7F);
    assert_eq!(unsigned(&[0x80, 0x80]), 0x80);
    assert_eq!(unsigned(&[0xAE, 0x57]), 0x2E57);
    assert_eq!(unsigned(&[0xBF, 0xFF]), 0x3FFF);
    assert_eq!(unsigned(&[0xC0, 0x00, 0x40, 0x00]), 0x4000);
    assert_eq!(unsigned(&[0xDF, 0xFF, 0xFF, 0xFF]), 0x1FFF_FFFF);
}

#[test]
fn signed_examples_of_the_standard() {
    assert_eq!(signed(&[0x06]), 3);
    assert_eq!(signed(&[0x7B]), -3);
    assert_eq!(signed(&[0x80, 0x80]), 64);
    assert_eq!(signed(&[0x01]), -64);
    assert_eq!(signed(&[0xC0, 0x00, 0x40, 0x00]), 8192);
    assert_eq!(signed(&[0x80, 0x01]), -8192);
    assert_eq!(signed(&[0xDF, 0xFF, 0xFF, 0xFE]), 268_435_455);
    assert_eq!(signed(&[0xC0, 0x00, 0x00, 0x01]), -268_435_456);
}

#[test]
fn signed_boundaries() {
    assert_eq!(signed(&[0x00]), 0);
    assert_eq!(signed(&[0x7F]), -1);
    assert_eq!(signed(&[0x7E]), 63);
    assert_eq!(signed(&[0xBF, 0x7F]), -65);
    assert_eq!(signed(&[0xBF, 0xFE]), 8191);
    assert_eq!(signed(&[0xDF, 0xFF, 0xBF, 0xFF]), -8193);
}

#[test]
fn longer_than_need_be() {
    assert_eq!(unsigned(&[0x80, 0x01]), 1);
    assert_eq!(unsigned(&[0xC0, 0x00, 0x00, 0x01]), 1);
}

#[test]
fn truncated_or_impossible() {
    for bytes in [&[][..], &[0x80], &[0xC0], &[0xC0, 0x00], &[0xC0, 0x00, 0x00]] {
        for error in [
            Reader::new(bytes).read_compressed_u32().unwrap_err(),
            Reader::new(bytes).read_compressed_i32().unwrap_err(),
        ] {
            assert_eq!((error.offset, error.kind), (bytes.len(), ErrorKind::UnexpectedEnd));
        }
    }
    for first in 0xE0..=0xFF {
        let bytes = [0x01, first, 0x00, 0x00, 0x00];
        let mut reader = Reader::new(&bytes);
        reader.read_u8().unwrap();
        let error = reader.read_compressed_u32().unwrap_err();
        assert_eq!((error.offset, error.kind), (1, ErrorKind::InvalidCompressedInteger(first)));
        assert_eq!(reader.position(), 1, "a failed read leaves the position");
    }
}

#[test]
fn failed_reads_leave_the_position() {
    let mut reader = Reader::new(&[0x05, 0x17]);
    assert!(reader.read_count().is_err());
    assert!(reader.read_bytes(3).is_err());
    assert!(reader.read_array::<3>().is_err());
    assert_eq!(reader.position(), 0);
    assert_eq!(reader.read_u8().unwrap(), 5);
    assert!(reader.read_type_def_or_ref().is_err(), "tag 3");
    assert!(reader.read_type().is_err());
    assert_eq!((reader.position(), reader.remaining(), reader.rest()), (1, 1, &[0x17][..]));
}
