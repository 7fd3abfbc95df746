//! A module of a few methods, and bodies from bytes.

use cilbody::{BodyParts, Clause, ClauseKind, MethodBody, Module, Range, ReturnType, TypeKind};
use sigparse::token::{StandAloneSig, Table};
use sigparse::{MethodSig, Token};

/// `static void ()`.
pub(crate) const VOID: [u8; 3] = [0x00, 0x00, 0x01];
/// `static int (int)`.
pub(crate) const INT_OF_INT: [u8; 4] = [0x00, 0x01, 0x08, 0x08];
/// `static string (string)`.
pub(crate) const STRING_OF_STRING: [u8; 4] = [0x00, 0x01, 0x0E, 0x0E];

/// Tokens of [`Sample`]'s methods.
pub(crate) const NOTHING: u32 = 0x0600_0001;
pub(crate) const TWO_ARGUMENTS: u32 = 0x0600_0002;
pub(crate) const VIRTUAL: u32 = 0x0600_0003;
/// A class, a structure and a byref-like structure.
pub(crate) const CLASS: u32 = 0x0200_0002;
pub(crate) const BYREF_LIKE: u32 = 0x0200_0006;
const OTHER_STRUCTURE: u32 = 0x0200_0004;
const GENERIC_STRUCTURE: u32 = 0x0200_0005;

/// A module with three methods: `static void ()`, `static int (int, int)`, `instance int ()`.
pub(crate) struct Sample {
    pub(crate) locals: Vec<u8>,
}

impl Sample {
    pub(crate) fn new() -> Self {
        // int, string
        Self { locals: vec![0x07, 0x02, 0x08, 0x0E] }
    }
}

impl Module for Sample {
    fn method_sig(&self, method: Token) -> Option<&[u8]> {
        match method.0 {
            NOTHING => Some(&VOID),
            TWO_ARGUMENTS => Some(&[0x00, 0x02, 0x08, 0x08, 0x08]),
            VIRTUAL => Some(&[0x20, 0x00, 0x08]),
            _ => None,
        }
    }

    fn field_sig(&self, field: Token) -> Option<&[u8]> {
        (field.0 == 0x0400_0001).then_some(&[0x06, 0x08])
    }

    fn stand_alone_sig(&self, token: Token) -> Option<&[u8]> {
        (token.0 == 0x1100_0001).then_some(&self.locals)
    }

    fn rows(&self, table: Table) -> Option<u32> {
        (table == Table::USER_STRING).then_some(0x100)
    }

    fn type_kind(&self, ty: Token) -> TypeKind {
        match ty.0 {
            CLASS => TypeKind::Reference,
            0x0200_0003 | OTHER_STRUCTURE | GENERIC_STRUCTURE => TypeKind::Value,
            BYREF_LIKE => TypeKind::ByRefLike,
            _ => TypeKind::Unknown,
        }
    }
}

/// A body with the variables `int` and `string`.
pub(crate) fn body(max_stack: u16, code: &[u8], clauses: &[Clause]) -> Vec<u8> {
    let local_var_sig = StandAloneSig::from_rid(1);
    BodyParts { code, max_stack, init_locals: true, local_var_sig, clauses }.to_bytes().unwrap()
}

pub(crate) fn clause(protected: [u32; 2], handler: [u32; 2], kind: ClauseKind) -> Clause {
    let range = |[start, end]: [u32; 2]| Range { start, end };
    Clause { protected: range(protected), handler: range(handler), kind }
}

pub(crate) const CATCH: ClauseKind = ClauseKind::Catch(Token(CLASS));

/// Verifies a body of a method with this signature.
pub(crate) fn verified(bytes: &[u8], sig: &[u8]) -> Result<(), cilbody::Error> {
    let sig = MethodSig::parse(sig).unwrap();
    cilbody::verify(&MethodBody::parse(bytes).unwrap(), sig, ReturnType::of(&sig), &Sample::new())
}

/// The names of a body's opcodes, with spaces between.
pub(crate) fn names(bytes: &[u8]) -> String {
    let body = MethodBody::parse(bytes).unwrap();
    let names: Vec<&str> = body.instructions().map(|it| it.unwrap().info().name).collect();
    names.join(" ")
}

/// The clauses of a body.
pub(crate) fn clauses(bytes: &[u8]) -> Vec<Clause> {
    MethodBody::parse(bytes).unwrap().clauses().map(Result::unwrap).collect()
}
