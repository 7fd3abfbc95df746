//! Names of classes, methods and types.

use std::sync::Arc;

use corprof::{Instance, Method, Names};

use super::Calls;
use crate::at::{At, shown, value};

fn method(it: &At<'_>) -> Option<Arc<Method>> {
    it.shared.known.methods.pick(&it.random)
}

fn instance(it: &At<'_>) -> Option<Arc<Instance>> {
    it.shared.known.instances.pick(&it.random)
}

pub(super) const CALLS: Calls = &[
    ("Names::new", |it| value(Names::new(it.info()).info())),
    ("Names::info", |it| value(it.names().info())),
    ("Names::cached_entries", |it| value(it.names().cached_entries())),
    ("Names::class", |it| shown(it.names().class(it.class()?))),
    ("Names::il_class", |it| shown(it.names().il_class(it.class()?))),
    ("Names::class_identity", |it| shown(it.names().class_identity(it.class()?))),
    ("Names::metadata_name", |it| shown(it.names().metadata_name(it.module()?, it.type_def_or_ref()?))),
    ("Names::module", |it| shown(it.names().module(it.module()?))),
    ("Names::metadata", |it| {
        let rows = it.names().metadata(it.module()?);
        shown(rows.map(|rows| it.keep(&it.shared.known.rows, rows)))
    }),
    ("Names::mvid", |it| shown(it.names().mvid(it.module()?))),
    ("Names::function", |it| shown(it.names().function(it.function()?))),
    ("Names::method", |it| {
        let method = it.names().method(it.function()?);
        if let Ok(method) = &method {
            it.keep(&it.shared.known.methods, Arc::clone(method));
        }
        shown(method)
    }),
    ("Names::method_definition", |it| shown(it.names().method_definition(it.module()?, it.method_def()?))),
    ("Method::declared", |it| value(method(it)?.declared())),
    ("Names::instance", |it| {
        let args: Vec<_> = it.some(|it| Some(it.maybe(|it| it.class())));
        let instance = it.names().instance(&method(it)?, it.maybe(|it| it.class()), &args);
        if let Ok(instance) = &instance {
            it.keep(&it.shared.known.instances, Arc::clone(instance));
        }
        shown(instance)
    }),
    ("Names::declaration", |it| shown(it.names().declaration(&*instance(it)?))),
    ("Names::source_method", |it| shown(it.names().source_method(&*instance(it)?))),
    ("Names::il_name", |it| shown(it.names().il_name(&*instance(it)?))),
    ("Names::identity", |it| {
        let mut instance = it.shared.known.function_instances.pick(&it.random)?;
        if it.is() {
            // Of one module a token, of another one a class.
            instance.token = it.method_def();
            instance.class = it.maybe(|it| it.class());
            instance.type_args = it.some(|it| Some(it.maybe(|it| it.class())));
        }
        shown(it.names().identity(&instance))
    }),
    ("Names::resolve", |it| shown(it.names().resolve(it.module()?, it.type_def_or_ref()?))),
    ("Names::find_type", |it| shown(it.names().find_type(it.text(), it.text()))),
];
