//! The lines of calls whose functions have no plan yet, and of later calls of the same functions, in the double of the runtime.
#![allow(clippy::unwrap_used, reason = "of what the tests themselves have set up")]

use std::sync::Mutex;

use corprof::{DeclaredMethod, ProfilerInfo, Result};
use corprof_calls::{CallTracer, CalledMethod, Calls, EndedCall, EnteredCall, Format, HookKind, Options};
use corprof_double::{Runtime, Session, Thrown, Type, Value, Version};
use serde_json::{Value as Json, json};

/// Keeps the line of each event, without the thread.
#[derive(Default)]
struct Lines(Mutex<Vec<Json>>);

impl Lines {
    fn add(&self, line: &str) {
        let mut line: Json = serde_json::from_str(line).unwrap();
        line.as_object_mut().unwrap().remove("thread");
        self.0.lock().unwrap().push(line);
    }

    fn take(&self) -> Vec<Json> {
        std::mem::take(&mut *self.0.lock().unwrap())
    }
}

impl CallTracer for Lines {
    type Method = ();
    type Thread = String;
    type Attached = ();

    fn initialize(_: &ProfilerInfo) -> Result<Self> {
        Ok(Self::default())
    }
    fn options(&mut self) -> Options {
        Options { hooks: HookKind::WithInfo, ..Options::default() }
    }
    fn select(&self, _: &DeclaredMethod<'_>) -> bool {
        true
    }
    fn prepare(&self, _: &CalledMethod) {}
    fn enter(&self, call: &EnteredCall<'_, Self>, line: &mut String) {
        line.clear();
        call.write_line(line, Format::Jsonl);
        self.add(line);
    }
    fn leave(&self, call: &EndedCall<'_, Self>, (): (), line: &mut String) {
        line.clear();
        call.write_line(line, Format::Jsonl);
        self.add(line);
    }
}

/// Makes the same call twice, and returns the lines of both.
fn twice(session: &Session<'_, Calls<Lines>>, call: impl Fn() -> Result<Value, Thrown>) -> [Vec<Json>; 2] {
    [(); 2].map(|()| {
        let _ = call();
        session.profiler().tracer().take()
    })
}

#[test]
fn the_lines_of_a_call_are_the_same_before_and_after_its_plan() {
    for version in [Version::NET_CORE_3_1, Version::NET_9] {
        let runtime = Runtime::new(version);
        let app = runtime.module("Shop");
        let item = app.class("Shop.Item");
        item.field("Count", Type::I4);
        let numbers = item
            .method("Numbers")
            .is_static()
            .param("small", Type::I1)
            .param("char", Type::Char)
            .param("is", Type::Bool)
            .param("count", Type::I4)
            .param("large", Type::U8)
            .param("price", Type::R8)
            .returns(Type::I2)
            .define();
        let mixed = item
            .method("Mixed")
            .param("count", Type::I4)
            .param("name", Type::String)
            .param("is", Type::Bool)
            .returns(Type::String)
            .define();
        let nothing = item.method("Nothing").is_static().define();
        let last = item.method("Last").is_static().define();

        let session = runtime.start::<Calls<Lines>>().unwrap();
        session.load(app);
        let this = session.object(&item, &[("Count", 3.into())]);
        let pear = session.string("pear");
        let head = |event: &str, depth: u32, name: &str| json!({ "event": event, "depth": depth, "module": "Shop.dll", "method": format!("Shop.Item.{name}") });
        let with = |mut line: Json, rest: Json| {
            line.as_object_mut().unwrap().extend(rest.as_object().unwrap().clone());
            line
        };
        let arg = |name: &str, ty: &str, value: Json| json!({ "name": name, "type": ty, "mode": "in", "value": value });
        let returned = |ty: &str, value: Json| json!({ "return": { "type": ty, "value": value } });

        let lines = twice(&session, || {
            let arguments = [
                Value::I1(-1),
                Value::Char(120),
                true.into(),
                (-7).into(),
                Value::U8(u64::MAX),
                Value::R8(0.5),
            ];
            session.call(&numbers, &arguments, || {
                session
                    .call(&mixed, &[this.into(), 2.into(), pear.into(), false.into()], || Ok(pear.into()))?;
                Ok(Value::I2(-300))
            })
        });
        let expected = [
            with(
                head("enter", 0, "Numbers"),
                json!({
                    "signature": "short Shop.Item.Numbers(sbyte small, char char, bool is, int count, ulong large, double price)",
                    "args": [
                        arg("small", "sbyte", json!(-1)),
                        arg("char", "char", json!("x")),
                        arg("is", "bool", json!(true)),
                        arg("count", "int", json!(-7)),
                        arg("large", "ulong", json!(u64::MAX)),
                        arg("price", "double", json!(0.5)),
                    ],
                }),
            ),
            with(
                head("enter", 1, "Mixed"),
                json!({
                    "signature": "string Shop.Item.Mixed(int count, string name, bool is)",
                    "this": { "type": "Shop.Item", "fields": { "Count": 3 } },
                    "args": [
                        arg("count", "int", json!(2)),
                        arg("name", "string", json!("pear")),
                        arg("is", "bool", json!(false)),
                    ],
                }),
            ),
            with(head("leave", 1, "Mixed"), returned("string", json!("pear"))),
            with(head("leave", 0, "Numbers"), returned("short", json!(-300))),
        ];
        assert_eq!(lines, [expected.to_vec(), expected.to_vec()]);

        let lines = twice(&session, || {
            session.call(&nothing, &[], || {
                session.call_ending_in_tail_call(&last, &[], || Ok(()), || Ok(().into()))?;
                Err(session.throw(session.object(&runtime.exception(), &[])))
            })
        });
        let signature = |name: &str| json!({ "signature": format!("void Shop.Item.{name}()"), "args": [] });
        let expected = [
            with(head("enter", 0, "Nothing"), signature("Nothing")),
            with(head("enter", 1, "Last"), signature("Last")),
            head("tailcall", 1, "Last"),
            with(head("unwind", 0, "Nothing"), json!({ "exception": "System.Exception" })),
        ];
        assert_eq!(lines, [expected.to_vec(), expected.to_vec()]);
        session.shutdown();
        assert_eq!(runtime.misuse(), Vec::<String>::new());
    }
}
