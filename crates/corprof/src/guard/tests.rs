use std::cell::RefCell;
use std::sync::Mutex;
use std::sync::mpsc;

use super::*;

/// A hook that notes each panic instead of printing it; those of other tests are printed.
static NOTED: Mutex<Vec<String>> = Mutex::new(Vec::new());

thread_local! {
    static IS_NOTED: RefCell<bool> = const { RefCell::new(false) };
}

fn note_panics() {
    static ONCE: std::sync::Once = std::sync::Once::new();
    ONCE.call_once(|| {
        let printed = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            if IS_NOTED.with_borrow(|noted| *noted) {
                let said = message_of(panic.payload()).to_owned();
                NOTED.lock().unwrap().push(said);
            } else {
                printed(panic);
            }
        }));
    });
    IS_NOTED.set(true);
}

fn noted(about: &str) -> usize {
    NOTED.lock().unwrap().iter().filter(|said| said.contains(about)).count()
}

#[test]
fn a_panic_is_an_answer() {
    note_panics();
    let switch = Switch::new();
    assert_eq!(switch.guard("Test", || 1), Some(1));
    assert!(!switch.has_panicked());
    assert_eq!(switch.guard("Test", || -> i32 { panic!("boom {}", 1) }), None);
    assert!(switch.has_panicked());
    assert_eq!(switch.guard("Test", || 2), Some(2));
}

#[test]
fn one_panic_is_printed_and_the_profiler_is_switched_off_in_the_end() {
    note_panics();
    let switch = Switch::new();
    for _ in 0..MAX_PANICS {
        assert!(switch.is_on());
        assert_eq!(switch.guard("Test", || panic!("again and again")), None::<()>);
    }
    assert_eq!(noted("again and again"), 1);
    assert!(!switch.is_on() && !switch.has_ended());
    assert_eq!(switch.guard("Test", || 1), None);
    // Its end is delivered, and is as quiet.
    assert_eq!(switch.guard_even_if_off("Test", || 1), Some(1));
    assert_eq!(switch.guard_even_if_off("Test", || panic!("again and again")), None::<()>);
    assert_eq!(noted("again and again"), 1);
    switch.end();
    assert!(switch.has_ended());
    assert_eq!(switch.guard_even_if_off("Test", || 1), None);
}

#[test]
fn panics_of_others_are_printed() {
    note_panics();
    let switch = Switch::new();
    switch.guard("Test", || panic!("one's own"));
    switch.guard("Test", || panic!("one's own"));
    // After a callback on the same thread, whether it panicked or not.
    let _ = catch_unwind(|| panic!("another's"));
    switch.guard("Test", || ());
    let _ = catch_unwind(|| panic!("another's"));
    // A callback within a callback does not end the silence of the outer one.
    switch.guard("Test", || {
        switch.guard("Test", || ());
        switch.guard("Test", || panic!("one's own"));
        panic!("one's own");
    });
    let _ = catch_unwind(|| panic!("another's"));
    assert_eq!((noted("one's own"), noted("another's")), (1, 3));
    // On another thread, while a callback runs.
    let (end, ended) = mpsc::channel::<()>();
    std::thread::scope(|scope| {
        scope.spawn(|| switch.guard("Test", move || ended.recv()));
        note_panics();
        let _ = catch_unwind(|| panic!("another's"));
        drop(end);
    });
    assert_eq!(noted("another's"), 4);
}

#[test]
fn the_message_is_found() {
    assert_eq!(message_of(&"literal"), "literal");
    assert_eq!(message_of(&String::from("formatted")), "formatted");
    assert_eq!(message_of(&1), "(no message)");
}
