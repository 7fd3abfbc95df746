//! One call: where it is made, and the arguments that it draws.

use std::fmt::{self, Debug, Write};
use std::sync::Arc;

use corprof::sigparse::{
    CustomAttributeType, HasFieldMarshal, Implementation, MemberRefParent, MethodDefOrRef, ResolutionScope,
    TypeDefOrRef, TypeOrMethodDef,
};
use corprof::token::{MethodDef, Table, Token};
use corprof::{
    AppDomainId, AssemblyId, ClassId, EventPipeEventId, EventPipeProviderId, FunctionId, Guid, Metadata,
    ModuleId, ModuleMethod, Names, NativeCodeStart, ProfilerInfo, ReJitId, ThreadId,
};

use crate::journal::Entry;
use crate::known::Pool;
use crate::place::{Given, Place};
use crate::random::Random;
use crate::shared::Shared;

/// What a call draws its arguments from. Each argument is noted before the call.
pub(crate) struct At<'a> {
    pub(crate) shared: &'a Shared,
    pub(crate) given: Given<'a>,
    pub(crate) place: Place,
    pub(crate) random: Random,
    pub(crate) entry: Entry<'a>,
}

/// Whether a call has succeeded; `None` if it was not made, since there is nothing to pass.
pub(crate) type Done = Option<bool>;

/// Reads all of a result.
pub(crate) fn shown<T: Debug, E: Debug>(result: Result<T, E>) -> Done {
    let is_ok = result.is_ok();
    value(result);
    Some(is_ok)
}

/// Reads all of a value.
#[allow(clippy::unnecessary_wraps, reason = "what the calls return")]
pub(crate) fn value(value: impl Debug) -> Done {
    // Ends with an error when that is much.
    let _ = write!(Reader(1 << 14), "{value:?}");
    Some(true)
}

/// Reads all bytes of a slice.
pub(crate) fn bytes(bytes: &[u8]) -> Done {
    value(bytes.iter().fold(0_u8, |sum, byte| sum.wrapping_add(*byte)))
}

/// Reads text up to a limit.
struct Reader(usize);

impl Write for Reader {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0 = self.0.checked_sub(text.len()).ok_or(fmt::Error)?;
        Ok(())
    }
}

macro_rules! known {
    ($($name:ident: $ty:ty = $pool:ident;)*) => {$(
        /// One that the profiler has got, which may be stale.
        pub(crate) fn $name(&self) -> Option<$ty> {
            self.drawn(self.shared.known.$pool.pick(&self.random))
        }
    )*};
}

macro_rules! rows {
    ($($name:ident: $ty:ident;)*) => {$(
        /// A token, which the module may not have.
        #[allow(dead_code, reason = "the same for all kinds")]
        pub(crate) fn $name(&self) -> Option<corprof::token::$ty> {
            self.drawn(corprof::token::$ty::from_rid(self.rid()))
        }
    )*};
}

macro_rules! coded {
    ($($name:ident: $ty:ident;)*) => {$(
        /// A token, which the module may not have.
        pub(crate) fn $name(&self) -> Option<$ty> {
            self.drawn($ty::from_coded(self.rid().wrapping_mul(8).wrapping_add(self.small())))
        }
    )*};
}

impl<'a> At<'a> {
    pub(crate) fn info(&self) -> &'a ProfilerInfo {
        &self.shared.info
    }

    pub(crate) fn names(&self) -> &'a Names {
        &self.shared.names
    }

    /// Notes an argument.
    pub(crate) fn drawn<T: Debug>(&self, argument: Option<T>) -> Option<T> {
        let argument = argument?;
        self.entry.note(&argument);
        Some(argument)
    }

    /// Keeps a value for later calls.
    pub(crate) fn keep<T>(&self, pool: &Pool<T>, value: T) {
        // What is dropped calls the runtime too: a handle is destroyed, a session stopped.
        drop(pool.put(value, &self.random));
    }

    known! {
        app_domain: AppDomainId = app_domains;
        assembly: AssemblyId = assemblies;
        module: ModuleId = modules;
        class: ClassId = classes;
        function: FunctionId = functions;
        thread: ThreadId = threads;
        provider: EventPipeProviderId = providers;
        event: EventPipeEventId = events;
        code_start: NativeCodeStart = code_starts;
    }

    rows! {
        type_def: TypeDef; type_ref: TypeRef; type_spec: TypeSpec; field_def: FieldDef; method_def: MethodDef;
        param_def: ParamDef; interface_impl: InterfaceImpl; member_ref: MemberRef; custom_attribute: CustomAttribute;
        decl_security: DeclSecurity; stand_alone_sig: StandAloneSig; event_def: EventDef; property_def: PropertyDef;
        module_ref: ModuleRef; assembly_ref: AssemblyRef; assembly_def: AssemblyDef; file_ref: FileRef;
        exported_type: ExportedType; manifest_resource: ManifestResource; generic_param: GenericParam;
        method_spec: MethodSpec; generic_param_constraint: GenericParamConstraint; user_string: UserString;
    }

    coded! {
        type_def_or_ref: TypeDefOrRef; resolution_scope: ResolutionScope; member_ref_parent: MemberRefParent;
        method_def_or_ref: MethodDefOrRef; attribute_type: CustomAttributeType; type_or_method: TypeOrMethodDef;
        implementation: Implementation; has_marshal: HasFieldMarshal;
    }

    /// The number of a row: often one that is there.
    fn rid(&self) -> u32 {
        match self.small() {
            0 => self.number(),
            1 => self.number() % 20_000,
            2 => 0x00FF_FFFF,
            3..6 => self.number() % 500,
            _ => self.number() % 12 + 1,
        }
    }

    /// Any token.
    pub(crate) fn token(&self) -> Token {
        let table = if self.random.once_in(8) { self.number() } else { self.number() % 0x30 };
        let token = Token::new(Table(table.to_le_bytes()[0]), self.rid());
        self.entry.note(&token);
        token
    }

    pub(crate) fn is(&self) -> bool {
        self.random.once_in(2)
    }

    /// A value, or none.
    pub(crate) fn maybe<T>(&self, draw: impl FnOnce(&Self) -> Option<T>) -> Option<T> {
        if self.is() { draw(self) } else { None }
    }

    fn number(&self) -> u32 {
        u32::try_from(self.random.next() >> 32).unwrap_or_default()
    }

    /// A number below 8.
    fn small(&self) -> u32 {
        self.number() % 8
    }

    /// A number: small, near a power of two, or any.
    pub(crate) fn u32(&self) -> u32 {
        let number = match self.small() {
            0 => self.number(),
            1 => 1_u32.rotate_left(self.number()).wrapping_sub(1),
            2 => u32::MAX - self.small(),
            3 => self.number() % 100_000,
            _ => self.number() % 24,
        };
        self.entry.note(&number);
        number
    }

    /// A number: any, an address, an id of any kind, or what lies near.
    pub(crate) fn address(&self) -> usize {
        let (known, random) = (&self.shared.known, &self.random);
        let address = match random.below(10) {
            0 => random.below(usize::MAX),
            1 => random.below(4096),
            2 => usize::MAX - random.below(64),
            3 => known.functions.pick(random).map_or(8, FunctionId::as_raw),
            4 => known.classes.pick(random).map_or(8, ClassId::as_raw),
            5 => known.modules.pick(random).map_or(8, ModuleId::as_raw),
            // In an image, in code or not.
            6 | 8 => known.images.pick(random).unwrap_or_default().wrapping_add(random.below(12 << 20)),
            7 => known.addresses.pick(random).unwrap_or_default().wrapping_add(random.below(256)),
            _ => known.addresses.pick(random).unwrap_or_default(),
        };
        self.entry.note(&format_args!("{address:#x}"));
        address
    }

    /// An address for later calls.
    pub(crate) fn keep_address(&self, address: usize) {
        self.keep(&self.shared.known.addresses, address);
    }

    /// A version of code: one that there is, or any.
    pub(crate) fn rejit(&self) -> Option<ReJitId> {
        let number = self.small() as usize;
        let rejit = match number {
            0..3 => None,
            3..6 => self.shared.known.rejits.pick(&self.random),
            6 => ReJitId::from_raw(number),
            _ => ReJitId::from_raw(self.random.below(usize::MAX)),
        };
        self.entry.note(&rejit);
        rejit
    }

    pub(crate) fn guid(&self) -> Guid {
        let (high, low) = (self.random.next().to_le_bytes(), self.random.next().to_le_bytes());
        let mut bytes = [0; 16];
        bytes.iter_mut().zip(high.into_iter().chain(low)).for_each(|(to, from)| *to = from);
        Guid::from_bytes(bytes)
    }

    /// Text: names that there are, and what no name is.
    pub(crate) fn text(&self) -> &'static str {
        let text = self.random.one_of(TEXTS).unwrap_or_default();
        self.entry.note(&text.get(..text.len().min(20)));
        text
    }

    /// Bytes: signatures, and what no signature is.
    pub(crate) fn bytes(&self) -> Vec<u8> {
        let bytes = match self.small() {
            0..5 => self.random.one_of(SIGNATURES).unwrap_or_default().to_vec(),
            5 => (0..self.random.below(2000)).map(|_| self.random.next().to_le_bytes()[0]).collect(),
            _ => (0..self.random.below(40)).map(|_| self.random.next().to_le_bytes()[0]).collect(),
        };
        self.entry.note(&bytes);
        bytes
    }

    /// Some values.
    pub(crate) fn some<T>(&self, draw: impl Fn(&Self) -> Option<T>) -> Vec<T> {
        (0..self.random.below(4)).filter_map(|_| draw(self)).collect()
    }

    /// Methods of modules: those of functions, or any.
    pub(crate) fn module_methods(&self) -> Vec<ModuleMethod> {
        self.some(Self::module_method)
    }

    pub(crate) fn module_method(&self) -> Option<ModuleMethod> {
        if self.random.once_in(3) {
            return Some(ModuleMethod { module: self.module()?, method: self.method_def()? });
        }
        let info = self.info().function_info(self.function()?).ok()?;
        let method = self.drawn::<MethodDef>(info.token)?;
        Some(ModuleMethod { module: info.module, method })
    }

    /// Metadata of a module, which may be unloaded; or what was opened or made.
    pub(crate) fn metadata(&self) -> Option<Arc<Metadata>> {
        self.shared.known.metadata.pick(&self.random)
    }
}

const TEXTS: &[&str] = &[
    "",
    "System",
    "System.String",
    "System.Private.CoreLib",
    "adversary",
    "Adversary.Program",
    "Adversary.Program+Node`1",
    "<Module>",
    ".ctor",
    "Main",
    "Work",
    "with a\0zero",
    "é日本\u{1F600}",
    "a.b.c.d.e.f.g.h.i.j.k.l.m.n.o.p.q.r.s.t.u.v.w.x.y.z",
    "System.Collections.Generic.Dictionary`2",
    LONG,
];

/// A name longer than the runtime's limit of 1023 bytes.
const LONG: &str = match core::str::from_utf8(&[b'x'; 2000]) {
    Ok(text) => text,
    Err(_) => "x",
};

const SIGNATURES: &[&[u8]] = &[
    &[],
    // void (); instance void (int); int (string); !!0 (!!0) of one type argument
    &[0x00, 0x00, 0x01],
    &[0x20, 0x01, 0x01, 0x08],
    &[0x00, 0x01, 0x08, 0x0E],
    &[0x10, 0x01, 0x01, 0x1E, 0x00, 0x1E, 0x00],
    // fields: int, string, a class
    &[0x06, 0x08],
    &[0x06, 0x0E],
    &[0x06, 0x12, 0x09],
    // a property, local variables, type arguments
    &[0x28, 0x00, 0x08],
    &[0x07, 0x02, 0x08, 0x0E],
    &[0x0A, 0x01, 0x08],
    // types: int, string[], a generic instance
    &[0x08],
    &[0x1D, 0x0E],
    &[0x15, 0x12, 0x09, 0x01, 0x08],
    // cut off; a count that is too large
    &[0x20, 0x7F, 0x01],
    &[0x00, 0xDF, 0xFF, 0xFF, 0xFF, 0x01],
];
