//! The plan that a thread has compiled last: at the first call of a method, the locations need it, and then the decoder.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use argvalues::MethodPlan;
use corprof::{Instance, Method};

thread_local! {
    static LAST: RefCell<Option<(Arc<Instance>, Rc<MethodPlan>)>> = const { RefCell::new(None) };
}

/// Keeps the plan of a method.
pub(super) fn put(instance: Arc<Instance>, plan: Rc<MethodPlan>) {
    // A thread that ends, whose value has been dropped, keeps none.
    let before = LAST.try_with(|last| last.replace(Some((instance, plan))));
    drop(before);
}

/// Returns the instance of the last plan, if it is one of this method.
pub(super) fn instance_of(method: &Arc<Method>) -> Option<Arc<Instance>> {
    let of_this = |last: &RefCell<Option<(Arc<Instance>, _)>>| {
        let last = last.try_borrow().ok()?;
        let (instance, _) = last.as_ref()?;
        Arc::ptr_eq(&instance.method, method).then(|| Arc::clone(instance))
    };
    LAST.try_with(of_this).ok()?
}

/// Returns the plan of a method, if it is the last one and nobody uses it.
pub(super) fn take(instance: &Arc<Instance>) -> Option<MethodPlan> {
    let (of, plan) = LAST.try_with(RefCell::take).ok()??;
    // The same instance, whose type arguments are alive.
    if Arc::ptr_eq(&of, instance) { Rc::into_inner(plan) } else { None }
}
