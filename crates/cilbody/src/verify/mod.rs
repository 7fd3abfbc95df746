//! Verification of encoded bodies: errors for which the runtime would throw `InvalidProgramException`, or worse.
//!
//! This is not the verification of type safety in ECMA-335 III.1.8: unsafe code passes. It checks correctness (III.1.7
//! and the correctness rules of each instruction): stacks that differ where paths join, branches into instructions and
//! regions, exception handling that does not nest, tokens of the wrong table, variables that do not exist, operands of
//! kinds that an instruction does not take.
//!
//! Classes are not distinguished from each other. Structures are, as far as [`Module::may_be_same_type`] does: one in the place of
//! another has the wrong size. A type that [`Module::type_kind`] reports as unknown is compatible with everything.
//!
//! | file | subject |
//! |---|---|
//! | `context` | arguments, variables and result |
//! | `item` | items on the stack: kinds, and types of structures |
//! | `scan` | instruction boundaries, and prefixes before instructions |
//! | `operands` | tokens and variables |
//! | `flow` | the paths through the code |
//! | `edge` | branches and returns in regard to exception handling |
//! | `step` | the effect of an instruction on the stack |

mod context;
mod edge;
mod flow;
mod item;
mod operands;
mod scan;
mod step;

use alloc::vec::Vec;

use sigparse::MethodSig;

use crate::body::MethodBody;
use crate::clause::Clause;
use crate::error::Error;
use crate::module::Module;
use crate::regions::RegionTree;
use crate::returns::ReturnType;

/// Verifies a body of a method with this signature, whose `ret` takes a value of this type.
///
/// ```
/// use cilbody::{ErrorKind, Location, MethodBody, ReturnType, verify};
/// use sigparse::MethodSig;
/// # use cilbody::Module;
/// # use sigparse::Token;
/// # struct Nothing;
/// # impl Module for Nothing {
/// #     fn method_sig(&self, _: Token) -> Option<&[u8]> { None }
/// #     fn field_sig(&self, _: Token) -> Option<&[u8]> { None }
/// #     fn stand_alone_sig(&self, _: Token) -> Option<&[u8]> { None }
/// # }
/// # let module = Nothing;
///
/// // static int M(int): ldarg.0; brtrue.s +1; ldc.i4.1; ldc.i4.2; ret
/// let sig = MethodSig::parse(&[0x00, 0x01, 0x08, 0x08]).unwrap();
/// let body = MethodBody::parse(&[0x1A, 0x02, 0x2D, 0x01, 0x17, 0x18, 0x2A])?;
/// let error = verify(&body, sig, ReturnType::of(&sig), &module).unwrap_err();
/// assert_eq!(error.location, Location::Il(4));
/// assert_eq!(error.kind, ErrorKind::StackDepth { expected: 0, found: 1 });
/// # Ok::<(), cilbody::Error>(())
/// ```
///
/// # Errors
/// With the offset and the cause, the first one that was found.
pub fn verify<M: Module + ?Sized>(
    body: &MethodBody<'_>,
    method: MethodSig<'_>,
    returns: ReturnType<'_>,
    module: &M,
) -> Result<(), Error> {
    let context = context::Context::new(body, method, returns, module)?;
    let scanned = scan::Scan::new(body)?;
    for instruction in body.instructions() {
        operands::check(&instruction?, &context)?;
    }
    let clauses: Vec<Clause> = body.clauses().collect::<Result<_, _>>()?;
    scanned.check_clauses(&clauses)?;
    let regions = RegionTree::new(&clauses)?;
    flow::Walk::new(body, &context, &scanned, &regions).run(&clauses)
}
