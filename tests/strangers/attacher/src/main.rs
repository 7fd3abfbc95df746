//! Attaches a profiler to a running program: `stranger-attacher PID LIBRARY CLSID`.

use std::error::Error;
use std::path::PathBuf;

use diagport::{AttachProfiler, Port};

fn main() -> Result<(), Box<dyn Error>> {
    let [pid, library, clsid] = <[String; 3]>::try_from(std::env::args().skip(1).collect::<Vec<_>>())
        .map_err(|_| "usage: stranger-attacher PID LIBRARY CLSID")?;
    let port = Port::of(pid.parse()?)?;
    let library = PathBuf::from(library);
    port.attach_profiler(&AttachProfiler { clsid: clsid.parse()?, library: &library, client_data: b"" })?;
    println!("attached to {}", port.process_info()?.command_line);
    Ok(())
}
