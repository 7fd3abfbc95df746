//! Messages: a header of 20 bytes and a payload, all numbers little-endian.
//!
//! | bytes | |
//! |---|---|
//! | 14 | `DOTNET_IPC_V1` and a zero |
//! | 2 | size of the message, header included |
//! | 1 | command set; 0xFF in responses |
//! | 1 | command; in responses 0x00 for success and 0xFF for failure |
//! | 2 | zero |

use corprof_types::HResult;

use crate::limits::MAX_MESSAGE;
use crate::transport::Connection;
use crate::{Command, Error, Result};

const MAGIC: &[u8; 14] = b"DOTNET_IPC_V1\0";
pub(crate) const HEADER: usize = 20;
const SERVER: u8 = 0xFF;
const OK: u8 = 0x00;
const ERROR: u8 = 0xFF;

/// Encodes a command.
pub(crate) fn encode(command: Command, payload: &[u8]) -> Result<Vec<u8>> {
    let size = HEADER.saturating_add(payload.len());
    let Ok(short) = u16::try_from(size) else {
        return Err(Error::TooLong { command, size, limit: MAX_MESSAGE });
    };
    let (set, id) = command.code();
    let mut message = Vec::with_capacity(size);
    message.extend(MAGIC);
    message.extend(short.to_le_bytes());
    message.extend([set, id, 0, 0]);
    message.extend(payload);
    Ok(message)
}

/// Reads a response; returns the payload of a successful one.
pub(crate) fn answer(connection: &mut Connection, command: Command) -> Result<Vec<u8>> {
    let malformed = |what, at| Error::Malformed { command, what, at };
    let header = connection.read(command, HEADER, 0)?;
    if !header.starts_with(MAGIC) {
        return Err(malformed("it does not begin with DOTNET_IPC_V1", 0));
    }
    let size = usize::from(u16::from_le_bytes([header[14], header[15]]));
    let Some(length) = size.checked_sub(HEADER) else {
        return Err(malformed("its size is less than that of a header", 14));
    };
    let payload = connection.read(command, length, HEADER)?;
    match (header[16], header[17]) {
        (SERVER, OK) => Ok(payload),
        (SERVER, ERROR) => match payload.first_chunk() {
            Some(code) => Err(refusal(command, HResult(i32::from_le_bytes(*code)))),
            None => Err(malformed("an error without a code", HEADER)),
        },
        (SERVER, _) => Err(malformed("neither success nor failure", 17)),
        _ => Err(malformed("not an answer of the server", 16)),
    }
}

/// Converts a failure code to an error.
pub(crate) fn refusal(command: Command, hresult: HResult) -> Error {
    if hresult == HResult::CORDIAGIPC_E_UNKNOWN_COMMAND {
        return Error::NotSupported { command };
    }
    Error::Refused { command, hresult }
}
