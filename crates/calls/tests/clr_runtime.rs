//! Arguments and results through the whole of `corprof`, in the double of the runtime: hooks, plans, classes, objects.
#![allow(clippy::unwrap_used, reason = "of what the tests themselves have set up")]

use std::sync::{Arc, Mutex};

use argvalues::{ArgumentRange, Checked, Decoder, JsonWriter, Limits, MethodPlan, Scratch};
use corprof::{
    EnterFrame, EventMask, FunctionHooks, FunctionId, Hooks, Instance, Names, Profiler, ProfilerInfo, Result,
};
use corprof_calls::ClrRuntime;
use corprof_double::{Runtime, Type, Value, Version};
use serde_json::{Value as Json, json};

/// Decodes the arguments of every call.
struct Calls {
    names: Names,
    runtime: ClrRuntime,
    memory: Checked,
    seen: Mutex<Vec<(String, Vec<Json>)>>,
}

impl Profiler for Calls {
    fn initialize(info: &ProfilerInfo) -> Result<Self> {
        info.set_event_mask(EventMask::CALLS_WITH_VALUES | ClrRuntime::EVENTS)?;
        let names = Names::new(info);
        let runtime = ClrRuntime::new(&names)?;
        Ok(Self { runtime, names, memory: Checked::new().unwrap(), seen: Mutex::default() })
    }

    fn hooks(&self) -> Hooks<Self> {
        Hooks::with_info()
    }
}

impl FunctionHooks for Calls {
    type Function = (Arc<Instance>, MethodPlan);

    fn map_function(&self, function: FunctionId) -> Option<Self::Function> {
        let method = self.names.method(function).unwrap();
        let alone = self.names.info().function_instance(function, None).unwrap();
        let instance = self.names.instance(&method, alone.class, &alone.type_args).unwrap();
        let plan = self.runtime.plan(&instance).unwrap();
        Some((instance, plan))
    }

    fn enter(&self, (instance, plan): &Self::Function, frame: &EnterFrame<'_>) {
        let decode = |ranges: Vec<ArgumentRange>| {
            let mut scratch = Scratch::new();
            let mut decoder = Decoder::new(&self.memory, &self.runtime, Limits::default(), &mut scratch);
            let values = plan.arguments(&ranges).map(|argument| {
                let mut text = String::new();
                argument.decode(&mut decoder, &mut JsonWriter::new(&mut text));
                serde_json::from_str(&text).unwrap()
            });
            values.collect::<Vec<Json>>()
        };
        let values = frame.arguments(|arguments| decode(arguments.ranges().collect()));
        self.seen.lock().unwrap().push((instance.name.clone(), values.unwrap()));
    }
}

#[test]
fn values_are_what_the_script_says() {
    for version in [Version::NET_CORE_3_1, Version::NET_9] {
        let runtime = Runtime::new(version);
        let app = runtime.module("Shop");
        let color = app.enumeration("Shop.Color", &[("Red", 1), ("Blue", 2)]);
        let price = app.value_type("Shop.Price");
        price.field("Amount", Type::I8);
        price.field("Currency", Type::String);
        let item = app.class("Shop.Item");
        item.field("Name", Type::String);
        item.field("Count", Type::I4);
        item.field("Next", &item);
        let sell = item
            .method("Sell")
            .param("count", Type::I4)
            .param("fast", Type::Bool)
            .param("to", Type::String)
            .param("color", &color)
            .param("price", &price)
            .param("codes", Type::I4.vector())
            .param("nothing", Type::Object)
            .define();

        let session = runtime.start::<Calls>().unwrap();
        session.load(app);
        let euros = session.string("EUR");
        let price = session.value(&price, &[("Amount", 1250_i64.into()), ("Currency", euros.into())]);
        let (pear, apple) = (session.string("pear"), session.string("apple"));
        let next = session.object(&item, &[("Name", pear.into()), ("Count", 1.into())]);
        let this =
            session.object(&item, &[("Name", apple.into()), ("Count", 3.into()), ("Next", next.into())]);
        let codes = session.array(Type::I4, &[7.into(), 8.into()]);
        let arguments = [
            this.into(),
            (-3).into(),
            true.into(),
            session.string("Ann").into(),
            2.into(),
            price,
            codes.into(),
            Value::NULL,
        ];
        session.call(&sell, &arguments, || Ok(().into())).unwrap();

        let seen = session.profiler().seen.lock().unwrap().clone();
        let (name, values) = &seen[0];
        assert_eq!(name, "Shop.Item.Sell");
        let item = |name: &str, count: i32, next: Json| json!({ "type": "Shop.Item", "fields": { "Name": name, "Count": count, "Next": next } });
        let expected = json!([
            item("apple", 3, item("pear", 1, Json::Null)),
            -3,
            true,
            "Ann",
            { "enum": "Shop.Color.Blue", "value": 2 },
            { "type": "Shop.Price", "fields": { "Amount": 1250, "Currency": "EUR" } },
            { "type": "int[]", "length": 2, "items": [7, 8] },
            null,
        ]);
        assert_eq!(json!(values), expected);
        session.shutdown();
        assert_eq!((runtime.misuse(), runtime.unscripted()), (vec![], vec![]));
    }
}
