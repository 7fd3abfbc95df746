//! Both profilers in the runtime for tests, which needs no .NET.

use corprof_double::{Runtime, Version};
use stranger_composed::{Compiled, Thrown};

#[test]
fn each_part_sees_what_it_has_asked_for() {
    let runtime = Runtime::new(Version::NET_9);
    let app = runtime.module("App");
    let class = app.class("App.OutOfStock");
    let method = app.class("App.Work").method("Run").is_static().define();
    let session = runtime.start::<(Thrown, Compiled)>().unwrap();
    session.load(app);
    let exception = session.object(&class, &[]);
    let outcome = session.call(&method, &[], || Err(session.throw(exception)));
    assert!(outcome.is_err());
    assert_eq!(session.part::<Thrown>().unwrap().count(), 1);
    let seen = session.part::<Compiled>().unwrap().seen();
    assert_eq!(seen.into_iter().collect::<Vec<_>>(), ["App.Work.Run"]);
    session.shutdown();
}
