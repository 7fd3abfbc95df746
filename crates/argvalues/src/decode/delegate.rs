//! Delegates: their targets and the names of their methods.

use super::{Decoder, layout};
use crate::{
    memory::Memory,
    runtime::{ObjectRef, Runtime},
    shape::{ClassShape, DelegateFields, ShapeKind, TypeShape},
    visitor::{ArrayHead, Visitor},
};

/// The words of a delegate.
struct Words {
    target: usize,
    code: usize,
    static_code: usize,
    count: usize,
    list: usize,
}

impl<M: Memory + ?Sized, R: Runtime + ?Sized> Decoder<'_, M, R> {
    /// A delegate, or an array of those that a combined one calls.
    pub(super) fn delegate<V: Visitor + ?Sized>(
        &mut self,
        shape: &TypeShape,
        class: &ClassShape,
        fields: &DelegateFields,
        object: ObjectRef,
        visitor: &mut V,
    ) {
        let slot = match self.copy(object.address, class.extent(), object.trusted) {
            Ok(slot) => slot,
            Err(fail) => return self.failed(&fail, "delegate", shape.name(), object.address, visitor),
        };
        let word = |offset| self.word(slot, offset);
        let words = (|| {
            Some(Words {
                target: word(fields.target)?,
                code: word(fields.code)?,
                static_code: word(fields.static_code)?,
                count: word(fields.count)?,
                list: word(fields.list)?,
            })
        })();
        self.scratch.release(slot.at);
        let Some(words) = words else {
            return layout(shape, object.address, "the fields of a delegate lie outside of it", visitor);
        };
        // The two fields are also used for other things, but not for an array.
        if words.count != 0
            && words.list != 0
            && let Some(store) = self.store(words.list, object.trusted)
        {
            let length = words.count.min(store.length);
            let head = ArrayHead { type_name: shape.name(), length, bounds: None };
            let item = unwrapped(store.element());
            return self.items(&head, item, store.data(), object.trusted, object.address, visitor);
        }
        visitor.begin_delegate(shape.name());
        let code = if words.static_code == 0 {
            self.reference(words.target, object.trusted, "object", visitor);
            words.code
        } else {
            visitor.null();
            words.static_code
        };
        visitor.end_delegate(self.runtime.method_name(code).as_deref());
    }
}

/// The delegates in an array of them: since .NET 11 each is the only field of a struct, `Delegate.Wrapper`.
fn unwrapped(element: &TypeShape) -> &TypeShape {
    let ShapeKind::Struct(wrapper) = element.kind() else { return element };
    match wrapper.fields() {
        [only] if only.offset() == 0 && only.shape().size() == element.size() => only.shape(),
        _ => element,
    }
}
