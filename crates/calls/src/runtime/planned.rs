//! The plan that a thread has compiled last: at the first call of a method, the locations need it, and then the decoder.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use argvalues::MethodPlan;
use corprof::Instance;

thread_local! {
    static LAST: RefCell<Option<(Arc<Instance>, Rc<MethodPlan>)>> = const { RefCell::new(None) };
}

/// Keeps the plan of a method.
pub(super) fn put(instance: Arc<Instance>, plan: Rc<MethodPlan>) {
    // A thread that ends, whose value has been dropped, keeps none.
    let before = LAST.try_with(|last| last.replace(Some((instance, plan))));
    drop(before);
}

/// Returns the plan of a method, if it is the last one and nobody uses it.
pub(super) fn take(instance: &Arc<Instance>) -> Option<MethodPlan> {
    let (of, plan) = LAST.try_with(RefCell::take).ok()??;
    // The same instance, whose type arguments are alive.
    if Arc::ptr_eq(&of, instance) { Rc::into_inner(plan) } else { None }
}
