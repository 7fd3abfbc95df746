//! What `ret` takes from the stack.

use sigparse::{MethodSig, Type, TypeSig};

/// The type of the value that a method body returns.
///
/// It is the return type of the method's signature, except in a method that the runtime itself suspends and resumes
/// (`MethodImplAttributes.Async`, 0x2000, since .NET 11) and whose signature returns a task: it returns the task's result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReturnType<'s>(Option<TypeSig<'s>>);

impl<'s> ReturnType<'s> {
    /// Nothing.
    pub const VOID: Self = Self(None);

    /// The return type of a method's signature.
    #[must_use]
    pub fn of(sig: &MethodSig<'s>) -> Self {
        let ty = sig.return_type();
        Self((!ty.is_void()).then_some(ty))
    }

    /// The type that the body of a method with `MethodImplAttributes.Async` returns, for a signature that returns a task: of `Task<T>`
    /// and `ValueTask<T>` it is `T`, of `Task` and `ValueTask` nothing.
    ///
    /// ```
    /// use cilbody::ReturnType;
    /// use sigparse::{MethodSig, Type};
    ///
    /// // static Task<int> M(), and static Task M(); the tasks are TypeRefs.
    /// let of_int = MethodSig::parse(&[0x00, 0x00, 0x15, 0x12, 0x09, 0x01, 0x08]).unwrap();
    /// let plain = MethodSig::parse(&[0x00, 0x00, 0x12, 0x0D]).unwrap();
    /// assert_eq!(ReturnType::of_async(&of_int).ty().map(|ty| ty.ty()), Some(Type::I4));
    /// assert_eq!(ReturnType::of_async(&plain), ReturnType::VOID);
    /// ```
    #[must_use]
    pub fn of_async(sig: &MethodSig<'s>) -> Self {
        match sig.return_type().ty() {
            Type::GenericInst(task) => Self(task.args().next()),
            _ => Self::VOID,
        }
    }

    /// The type; `None` for nothing.
    #[must_use]
    pub const fn ty(self) -> Option<TypeSig<'s>> {
        self.0
    }
}
