//! Lists the processes with a diagnostics port, or attaches a profiler to one:
//!
//! ```sh
//! cargo run -p diagport --example diagport
//! cargo run -p diagport --example diagport -- 4711 {CLSID} /path/to/libprofiler.so 'client data'
//! ```

use diagport::{AttachProfiler, Guid, Port};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [pid, clsid, library, rest @ ..] = words.as_slice() else {
        for port in Port::list()? {
            match port.process_info() {
                Ok(info) => println!("{:?} {info:#?}", port.pid()),
                Err(error) => println!("{:?} {error}", port.pid()),
            }
        }
        return Ok(());
    };
    let clsid = Guid::try_parse(clsid).ok_or("not a class id")?;
    let client_data = rest.join("\n");
    Port::of(pid.parse()?)?.attach_profiler(&AttachProfiler {
        clsid,
        library: library.as_ref(),
        client_data: client_data.as_bytes(),
    })?;
    println!("attached");
    Ok(())
}
