//! Modules and classes come and go as the callbacks would say.

use super::*;
use crate::error::Error;
use crate::test_ids::{assembly, class, function, module};
use corprof_types::AnyId;
use std::sync::Mutex;

fn info(of: usize, rid: u32, args: &[usize]) -> ClassInfo {
    ClassInfo {
        module: module(of),
        type_def: TypeDef::from_rid(rid).unwrap(),
        parent: None,
        type_args: args.iter().map(|arg| Some(class(*arg))).collect(),
    }
}

fn loaded_module(name: &str) -> LoadedModule {
    LoadedModule {
        assembly: assembly(8),
        assembly_name: name.into(),
        path: name.into(),
        generation: 0,
        folder: "".into(),
        is_collectible: false,
        order: 0,
    }
}

#[test]
fn modules_are_found_by_the_name_of_their_assembly() {
    let loaded = Loaded::default();
    for raw in [1, 2] {
        loaded.attached(module(raw), loaded_module("shop"));
    }
    loaded.attached(module(3), loaded_module("tools"));
    loaded.bind(module(3), module(1));
    let shops = loaded.modules_of("shop");
    let orders: Vec<_> = shops.iter().map(|(_, loaded)| (loaded.order, loaded.generation)).collect();
    assert_eq!((orders, loaded.loads()), (vec![(0, 0), (1, 1)], 3));
    assert!(loaded.is_bound(module(3), module(1)));
    loaded.module_unloading(module(1));
    assert_eq!(loaded.modules_of("shop").len(), 1);
    assert!(!loaded.is_bound(module(3), module(1)));
    assert_eq!(loaded.modules_in(assembly(8)).len(), 2);
}

#[test]
fn a_class_is_found_by_its_definition_and_arguments() {
    let loaded = Loaded::default();
    loaded.class_loaded(class(100), &info(1, 7, &[50]));
    let type_def = TypeDef::from_rid(7).unwrap();
    assert_eq!(loaded.class(module(1), type_def, &[class(50)]), Some(class(100)));
    assert_eq!(loaded.class(module(1), type_def, &[]), None);
}

#[test]
fn a_class_is_seen_until_it_is_gone() {
    let loaded = Loaded::default();
    loaded.class_seen(class(100));
    loaded.class_seen(class(101));
    loaded.unloading_briefly(class(100).into());
    assert!(loaded.class_by_number(100).is_none());
    assert!(loaded.class_by_number(101).is_some());
    // The end of a module is not the end of what does not belong to it.
    loaded.module_unloading(module(1));
    assert!(loaded.class_by_number(101).is_some());
}

#[test]
fn an_unloaded_module_takes_its_classes_and_their_instantiations() {
    let loaded = Loaded::default();
    loaded.attached(module(2), LoadedModule { is_collectible: true, ..loaded_module("plugin") });
    loaded.class_loaded(class(50), &info(2, 1, &[]));
    for class in [class(50), class(100)] {
        loaded.belongs(class.into(), &[module(2)], false);
    }
    loaded.class_loaded(class(100), &info(1, 7, &[50]));
    loaded.class_loaded(class(101), &info(1, 7, &[60]));
    loaded.module_unloading(module(2));
    let type_def = TypeDef::from_rid(7).unwrap();
    assert_eq!(loaded.class(module(1), type_def, &[class(50)]), None);
    assert_eq!(loaded.class(module(1), type_def, &[class(60)]), Some(class(101)));
    assert_eq!(loaded.unloads(), 1);
}

struct Seen(Mutex<Vec<Unload>>);

impl Forget for Seen {
    fn forget(&self, unload: &Unload) {
        let (ids, deferred) = (unload.ids.clone(), unload.deferred.clone());
        self.0.lock().unwrap().push(Unload { ids, deferred });
    }
}

#[test]
fn what_belongs_to_a_module_is_refused_and_forgotten_with_it() {
    let (loaded, seen) = (Loaded::default(), Arc::new(Seen(Mutex::default())));
    let weak: Weak<Seen> = Arc::downgrade(&seen);
    loaded.forget_with(weak);
    loaded.attached(module(1), loaded_module("program"));
    loaded.attached(module(2), LoadedModule { is_collectible: true, ..loaded_module("plugin") });
    assert!(loaded.has_collectible());
    loaded.belongs(function(70).into(), &[module(2)], false);
    loaded.belongs(function(80).into(), &[], true);
    // Of a module that is not there.
    loaded.belongs(function(90).into(), &[module(9)], false);
    loaded.module_unloading(module(2));
    assert!(!loaded.has_collectible());
    let refused = |raw| loaded.alive.begin_about(Work::Call, function(raw).into()).is_err();
    // An id that may have been unloaded is refused until the runtime reports it again.
    assert!(refused(70) && refused(80) && !refused(90));
    loaded.alive.revive(function(80).into());
    assert!(!refused(80));
    assert!(matches!(
        loaded.alive.begin_about(Work::Lookup, module(2).into()),
        Err(Error::Unloaded { id: AnyId::Module(id) }) if id == module(2)
    ));
    let forgotten = seen.0.lock().unwrap();
    assert_eq!(forgotten.len(), 1);
    assert!(forgotten[0].takes(function(70)) && forgotten[0].takes(function(80)));
    assert!(!forgotten[0].takes(function(90)));
    // The number names something else now.
    loaded.alive.revive(function(70).into());
    assert!(!refused(70));
}

#[test]
fn the_end_of_a_class_after_that_of_its_module_is_nothing_new() {
    let loaded = Loaded::default();
    loaded.attached(module(2), LoadedModule { is_collectible: true, ..loaded_module("plugin") });
    loaded.belongs(class(50).into(), &[module(2)], false);
    loaded.module_unloading(module(2));
    loaded.unloading_briefly(class(50).into());
    assert_eq!(loaded.unloads(), 1);
}
