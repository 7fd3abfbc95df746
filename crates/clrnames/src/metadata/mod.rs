//! The metadata that names are formatted from, as traits: over `IMetaDataImport` in a running process (crate `corprof`),
//! and over assembly files ([`Image`](crate::Image)).
//!
//! | file | subject |
//! |---|---|
//! | `access` | the rows that names need |
//! | `manifest` | types by name, assembly identities, forwarders |
//! | `props` | the contents of rows |
//! | `key_token` | public key tokens |
//! | `tasks` | methods that return tasks |

mod access;
mod key_token;
mod manifest;
mod props;
mod tasks;

pub use access::Metadata;
pub use key_token::{KeyToken, key_token};
pub use manifest::{AssemblyName, Exported, Manifest};
pub use props::{
    Accessed, Constant, EventProps, FieldAttributes, FieldProps, GenericParamProps, MemberRefProps,
    MethodAttributes, MethodProps, ParamAttributes, ParamProps, PropertyProps, TypeAttributes, TypeDefProps,
    TypeRefProps,
};
pub use tasks::returns_task;
