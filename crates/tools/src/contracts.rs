//! Layouts of the runtime's own structures, as the runtime describes them: its data contracts.
//!
//! Since .NET 11 the runtime exports `DotNetRuntimeContractDescriptor`, which has what this crate needs (docs/design/datacontracts of
//! dotnet/runtime). All reads are checked: a structure that has been freed gives other values, and no fault.

use std::fs;
use std::path::Path;

use argvalues::{Checked, Memory as _};
use corprof::{ProfilerInfo, Result};
use object::{Object as _, ObjectSymbol as _};
use serde_json::Value;

/// The .NET version whose contracts are read.
const SINCE: u16 = 11;

/// The symbol of the descriptor.
const DESCRIPTOR: &str = "DotNetRuntimeContractDescriptor";

/// The first word of the descriptor: `DNCCDAC` and 0.
const MAGIC: u64 = 0x0043_4144_4343_4e44;

const WORD: usize = size_of::<usize>();

/// The number of entries of the sync table that are read at once, and at most.
const ENTRIES: usize = 256;
const TABLE: usize = 1 << 20;

/// The longest description: that of 11.0.0 has 30 KB.
const LONGEST: usize = 1 << 22;

/// The layouts that are used.
#[derive(Debug)]
pub(crate) struct Contracts {
    memory: Checked,
    /// The offset of the managed id in a thread.
    thread_id: Option<usize>,
    locks: Option<Locks>,
    continuations: Option<Continuations>,
}

/// The table of the objects that have more than a header: the lock of `Monitor`, for instance.
#[derive(Clone, Copy, Debug)]
struct Locks {
    /// The addresses of the variables.
    table: usize,
    cache: usize,
    free_index: usize,
    entry_size: usize,
    entry_block: usize,
    entry_object: usize,
    block_lock: usize,
}

/// The objects that hold the variables of suspended runtime-async methods.
#[derive(Clone, Copy, Debug)]
struct Continuations {
    /// The address of the variable with the base class, and the offset of a class's base class.
    base: usize,
    parent: usize,
    resume_info: usize,
    diagnostic_ip: usize,
}

impl Contracts {
    /// Reads the descriptor of this process's runtime; `None` if there is none that can be read.
    fn read() -> Option<Self> {
        let memory = Checked::new().ok()?;
        let descriptor = runtimes().find_map(|(path, base)| {
            let bytes = fs::read(path).ok()?;
            let file = object::File::parse(&*bytes).ok()?;
            let symbol = file.dynamic_symbols().find(|symbol| symbol.name() == Ok(DESCRIPTOR))?;
            base.checked_add(usize::try_from(symbol.address()).ok()?)
        })?;
        let mut head = [0; 40];
        memory.read(descriptor, &mut head).ok()?;
        let word = |at: usize| Some(u64::from_ne_bytes(head.get(at..at + 8)?.try_into().ok()?));
        let half = |at: usize| Some(u32::from_ne_bytes(head.get(at..at + 4)?.try_into().ok()?));
        if word(0)? != MAGIC {
            return None;
        }
        let length = usize::try_from(half(12)?).ok().filter(|length| *length <= LONGEST)?;
        let mut text = vec![0; length];
        memory.read(usize::try_from(word(16)?).ok()?, &mut text).ok()?;
        let count = usize::try_from(half(24)?).ok().filter(|count| *count <= LONGEST / WORD)?;
        let mut pointers = vec![0; count * WORD];
        memory.read(usize::try_from(word(32)?).ok()?, &mut pointers).ok()?;
        let pointers: Vec<usize> = pointers.chunks_exact(WORD).filter_map(word_of).collect();
        let end = text.iter().position(|byte| *byte == 0).unwrap_or(text.len());
        let description: Value = serde_json::from_slice(text.get(..end)?).ok()?;
        Some(Self::of(memory, &Description { description, pointers }))
    }

    fn of(memory: Checked, description: &Description) -> Self {
        let locks = || {
            Some(Locks {
                table: description.variable("SyncTableEntries")?,
                cache: description.variable("SyncBlockCache")?,
                free_index: description.offset("SyncBlockCache", "FreeSyncTableIndex")?,
                entry_size: description.offset("SyncTableEntry", "!")?,
                entry_block: description.offset("SyncTableEntry", "SyncBlock")?,
                entry_object: description.offset("SyncTableEntry", "Object")?,
                block_lock: description.offset("SyncBlock", "Lock")?,
            })
        };
        let continuations = || {
            Some(Continuations {
                base: description.variable("ContinuationMethodTable")?,
                parent: description.offset("MethodTable", "ParentMethodTable")?,
                resume_info: description.offset("ContinuationObject", "ResumeInfo")?,
                diagnostic_ip: description.offset("AsyncResumeInfo", "DiagnosticIP")?,
            })
        };
        let thread_id = description.offset("Thread", "Id");
        Self { memory, thread_id, locks: locks(), continuations: continuations() }
    }

    fn word(&self, address: usize) -> Option<usize> {
        let mut word = [0; WORD];
        self.memory.read(address, &mut word).ok()?;
        Some(usize::from_ne_bytes(word))
    }

    fn half(&self, address: usize) -> Option<u32> {
        let mut half = [0; 4];
        self.memory.read(address, &mut half).ok()?;
        Some(u32::from_ne_bytes(half))
    }

    /// Returns the managed id of a thread, which its address in the runtime is given of.
    pub(crate) fn managed_thread_id(&self, thread: usize) -> Option<u32> {
        self.half(thread.checked_add(self.thread_id?)?)
    }

    /// Returns the object that `Monitor` locks by this `System.Threading.Lock`; `None` if no object has that lock now.
    ///
    /// Reads the table of all objects that have or had such a lock.
    pub(crate) fn locked_object(&self, lock: usize) -> Option<usize> {
        let locks = self.locks?;
        let table = self.word(locks.table)?;
        let count = self.half(self.word(locks.cache)?.checked_add(locks.free_index)?)?;
        let count = usize::try_from(count).ok()?.min(TABLE);
        let mut entries = Vec::new();
        for first in (0..count).step_by(ENTRIES) {
            entries.resize(ENTRIES.min(count - first) * locks.entry_size, 0);
            let address = table.checked_add(first.checked_mul(locks.entry_size)?)?;
            self.memory.read(address, &mut entries).ok()?;
            let found = entries.chunks_exact(locks.entry_size).find_map(|entry| {
                let field = |at: usize| word_of(entry.get(at..at + WORD)?);
                // The lowest bit marks a free entry.
                let object = field(locks.entry_object).filter(|object| *object != 0 && object & 1 == 0)?;
                let block = field(locks.entry_block).filter(|block| *block != 0)?;
                let handle = self.word(block.checked_add(locks.block_lock)?).filter(|handle| *handle != 0)?;
                (self.word(handle)? == lock).then_some(object)
            });
            if found.is_some() {
                return found;
            }
        }
        None
    }

    /// Reads the descriptor if the runtime has one that this crate reads.
    pub(crate) fn of_runtime(info: &ProfilerInfo) -> Result<Option<Self>> {
        let is_new = info.runtime_info()?.major >= SINCE;
        Ok(is_new.then(Self::read).flatten())
    }

    /// Returns whether a class, by its address in the runtime, is that of the variables of a suspended runtime-async method. These classes
    /// have no metadata.
    pub(crate) fn is_continuation(&self, class: usize) -> bool {
        let Some(layout) = self.continuations else { return false };
        let base = self.word(layout.base).filter(|base| *base != 0);
        base.is_some() && class.checked_add(layout.parent).and_then(|parent| self.word(parent)) == base
    }

    /// Returns the address of code in the method that a continuation resumes.
    pub(crate) fn resumed_code(&self, continuation: usize) -> Option<usize> {
        let layout = self.continuations?;
        let info = self.word(continuation.checked_add(layout.resume_info)?).filter(|info| *info != 0)?;
        self.word(info.checked_add(layout.diagnostic_ip)?).filter(|code| *code != 0)
    }
}

fn word_of(bytes: &[u8]) -> Option<usize> {
    Some(usize::from_ne_bytes(bytes.try_into().ok()?))
}

/// The mapped files that may have the runtime: its library, and the program that has it inside; each with its base address.
fn runtimes() -> impl Iterator<Item = (String, usize)> {
    let maps = fs::read("/proc/self/maps").unwrap_or_default();
    let program = fs::read_link("/proc/self/exe").unwrap_or_default();
    let mapped: Vec<(String, usize)> = String::from_utf8_lossy(&maps)
        .lines()
        .filter_map(|line| {
            let path = line.get(line.find('/')?..)?;
            let mut words = line.split_ascii_whitespace();
            let begin = usize::from_str_radix(words.next()?.split_once('-')?.0, 16).ok()?;
            let is_first = u64::from_str_radix(words.nth(1)?, 16).ok()? == 0;
            let is_runtime = Path::new(path).file_name().is_some_and(|name| name == "libcoreclr.so");
            (is_first && (is_runtime || Path::new(path) == program)).then(|| (path.to_owned(), begin))
        })
        .collect();
    mapped.into_iter()
}

/// The description, and the addresses that it refers to.
struct Description {
    description: Value,
    pointers: Vec<usize>,
}

impl Description {
    /// The offset of a field, or with `!` the size of a type: a number, or a list of a number and the field's type.
    fn offset(&self, name: &str, field: &str) -> Option<usize> {
        let field = self.description.get("types")?.get(name)?.get(field)?;
        usize::try_from(field.get(0).unwrap_or(field).as_u64()?).ok()
    }

    /// The address of a variable: `[[index], type]`, an index into the addresses.
    fn variable(&self, name: &str) -> Option<usize> {
        let index = self.description.get("globals")?.get(name)?.get(0)?.get(0)?.as_u64()?;
        self.pointers.get(usize::try_from(index).ok()?).copied().filter(|address| *address != 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_object_of_a_lock_is_found_in_the_described_table() {
        let (lock, object) = (0x1000_usize, 0x2000_usize);
        let handle = lock;
        // The second block of 24 bytes has the lock at 8.
        let block = [0, (&raw const handle).addr(), 0];
        // An entry is its object and its block. The first is never used, the second is free.
        let entries = [0, 0, 1, (&raw const block).addr(), object, (&raw const block).addr()];
        let table = (&raw const entries).addr();
        let cache_data = [0, 3_usize];
        let cache = (&raw const cache_data).addr();
        let description = serde_json::json!({
            "types": {
                "SyncTableEntry": { "!": 16, "Object": 0, "SyncBlock": [8, "pointer"] },
                "SyncBlock": { "Lock": 8 },
                "SyncBlockCache": { "FreeSyncTableIndex": 8 },
                "Thread": { "Id": 4 },
            },
            "globals": { "SyncTableEntries": [[1], "pointer"], "SyncBlockCache": [[0], "pointer"] },
        });
        let pointers = vec![(&raw const cache).addr(), (&raw const table).addr()];
        let contracts = Contracts::of(Checked::new().unwrap(), &Description { description, pointers });
        assert_eq!(contracts.locked_object(lock), Some(object));
        assert_eq!(contracts.locked_object(0x3000), None);
        let thread = [0_u32, 7];
        assert_eq!(contracts.managed_thread_id((&raw const thread).addr()), Some(7));
        assert_eq!(contracts.resumed_code(lock), None);
    }
}
