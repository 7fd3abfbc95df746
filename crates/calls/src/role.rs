//! Why a function is hooked.

use corprof::{DeclaredMethod, FunctionForm};

/// Why a function is hooked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// Its calls are traced.
    Traced(FunctionForm),
    /// The runtime's code around the code that it suspends: when it is entered and when it returns, the calls that were made from it have
    /// ended or are suspended.
    Boundary,
}

impl Role {
    /// The role of a method; `None` if it is not hooked. `suspends`: whether the runtime itself suspends calls.
    pub(crate) fn of(
        method: &DeclaredMethod<'_>,
        form: FunctionForm,
        suspends: bool,
        is_selected: impl FnOnce(&DeclaredMethod<'_>) -> bool,
    ) -> Option<Self> {
        if form == FunctionForm::Thunk || suspends && is_dispatcher(method) {
            return Some(Self::Boundary);
        }
        (!is_exception_machinery(method) && is_selected(method)).then_some(Self::Traced(form))
    }
}

/// Returns whether a method resumes the calls that the runtime has suspended, one after the other.
fn is_dispatcher(method: &DeclaredMethod<'_>) -> bool {
    method.name == "DispatchContinuations" && method.module_info.file_name() == "System.Private.CoreLib.dll"
}

/// Returns whether a method is part of the managed exception handling of .NET 9 and later. It runs on top of the frames
/// that it removes, and its own frames go away with them without an end.
pub(crate) fn is_exception_machinery(method: &DeclaredMethod<'_>) -> bool {
    method.module_info.file_name() == "System.Private.CoreLib.dll"
        && is_exception_machinery_type(&method.plain_name())
}

fn is_exception_machinery_type(name: &str) -> bool {
    const TYPES: [&str; 3] = [
        "System.Runtime.EH.",
        "System.Runtime.StackFrameIterator.",
        "System.Runtime.ExceptionServices.InternalCalls.",
    ];
    TYPES.iter().any(|machinery| name.starts_with(machinery))
}

#[cfg(test)]
mod tests {
    use super::is_exception_machinery_type;

    #[test]
    fn exception_machinery_is_recognised_by_its_types() {
        assert!(is_exception_machinery_type("System.Runtime.EH.ExInfo.Init"));
        assert!(!is_exception_machinery_type("System.Runtime.EHint.Init"));
    }
}
