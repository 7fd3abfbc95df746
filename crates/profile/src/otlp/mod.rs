//! Profiles of the OpenTelemetry protocol (OTLP).

mod message;

use std::collections::BTreeMap;
use std::io::{self, Write};

use prost::Message as _;

use self::message::{
    AnyValue, Attribute, Dictionary, Empty, Function, KeyValue, Line, Location, ProfilesData, Resource,
    ResourceProfiles, Sample, Scope, ScopeProfiles, Stack, Value, ValueType,
};
use crate::interval::nanoseconds;
use crate::profile::{Context, FrameId, Profile};
use crate::tree::NodeId;

/// The index of the next element of a table.
fn next<T>(table: &[T]) -> i32 {
    i32::try_from(table.len()).unwrap_or(i32::MAX)
}

fn text(value: &str) -> Option<AnyValue> {
    Some(AnyValue { value: Some(Value::Text(value.to_owned())) })
}

/// The tables, with the indexes of what is in them.
struct Tables<'p> {
    profile: &'p Profile,
    dictionary: Dictionary,
    strings: BTreeMap<&'p str, i32>,
    locations: BTreeMap<FrameId, i32>,
    stacks: BTreeMap<NodeId, i32>,
    /// By the key and the value.
    attributes: BTreeMap<(&'p str, String), i32>,
}

impl<'p> Tables<'p> {
    fn new(profile: &'p Profile) -> Self {
        let dictionary = Dictionary {
            mapping_table: vec![Empty::default()],
            location_table: vec![Location::default()],
            function_table: vec![Function::default()],
            link_table: vec![Empty::default()],
            string_table: vec![String::new()],
            attribute_table: vec![Attribute::default()],
            stack_table: vec![Stack::default()],
        };
        Self {
            profile,
            dictionary,
            strings: BTreeMap::from([("", 0)]),
            locations: BTreeMap::new(),
            stacks: BTreeMap::from([(NodeId::ROOT, 0)]),
            attributes: BTreeMap::new(),
        }
    }

    fn string(&mut self, text: &'p str) -> i32 {
        let table = &mut self.dictionary.string_table;
        *self.strings.entry(text).or_insert_with(|| {
            table.push(text.to_owned());
            next(table) - 1
        })
    }

    fn location(&mut self, frame: FrameId) -> i32 {
        if let Some(index) = self.locations.get(&frame) {
            return *index;
        }
        let known = self.profile.frame_of(frame);
        let (name_strindex, filename_strindex) = (self.string(known.name), self.string(known.module));
        let tables = &mut self.dictionary;
        let function_index = next(&tables.function_table);
        tables.function_table.push(Function { name_strindex, filename_strindex });
        let index = next(&tables.location_table);
        tables.location_table.push(Location { lines: vec![Line { function_index }] });
        self.locations.insert(frame, index);
        index
    }

    fn stack(&mut self, node: NodeId) -> i32 {
        if let Some(index) = self.stacks.get(&node) {
            return *index;
        }
        let profile = self.profile;
        let location_indices = profile.tree().stack(node).map(|frame| self.location(frame)).collect();
        let index = next(&self.dictionary.stack_table);
        self.dictionary.stack_table.push(Stack { location_indices });
        self.stacks.insert(node, index);
        index
    }

    fn attribute(&mut self, key: &'p str, value: Value) -> i32 {
        let shown = match &value {
            Value::Text(text) => text.clone(),
            Value::Number(number) => number.to_string(),
        };
        if let Some(index) = self.attributes.get(&(key, shown.clone())) {
            return *index;
        }
        let index = next(&self.dictionary.attribute_table);
        let key_strindex = self.string(key);
        let value = Some(AnyValue { value: Some(value) });
        self.dictionary.attribute_table.push(Attribute { key_strindex, value });
        self.attributes.insert((key, shown), index);
        index
    }

    fn context(&mut self, context: &'p Context) -> Vec<i32> {
        let mut indices = Vec::new();
        if let Some(thread) = &context.thread {
            let id = i64::try_from(thread.id).unwrap_or(i64::MAX);
            indices.push(self.attribute("thread.id", Value::Number(id)));
            if !thread.name.is_empty() {
                indices.push(self.attribute("thread.name", Value::Text(thread.name.clone())));
            }
        }
        for (key, value) in &context.labels {
            indices.push(self.attribute(key, Value::Text(value.clone())));
        }
        indices
    }
}

impl Profile {
    /// Writes all values as a message of OpenTelemetry's protocol: a profile for each value.
    ///
    /// The bytes are a `ProfilesData`, and also an `ExportProfilesServiceRequest`, whose fields are the same. The schema is
    /// `v1development` of version 1.9 of the protocol. `resource` has the attributes of the program, such as `service.name`.
    ///
    /// # Errors
    /// Any error of `out`.
    pub fn write_otlp(&self, resource: &[(String, String)], out: &mut dyn Write) -> io::Result<()> {
        let mut tables = Tables::new(self);
        let (time_unix_nano, duration_nano) = self
            .interval()
            .map_or((0, 0), |interval| (interval.unix_nanoseconds(), nanoseconds(interval.length)));
        let mut profiles = Vec::new();
        for (index, kind) in self.types().iter().enumerate() {
            let mut samples = Vec::new();
            for sample in self.samples() {
                let amount = sample.values.get(index).copied().filter(|amount| *amount > 0);
                let Some(amount) = amount else { continue };
                samples.push(Sample {
                    stack_index: tables.stack(sample.node()),
                    attribute_indices: tables.context(sample.context()),
                    values: vec![i64::try_from(amount).unwrap_or(i64::MAX)],
                });
            }
            let (type_strindex, unit_strindex) = (tables.string(&kind.name), tables.string(kind.unit.name()));
            let sample_type = Some(ValueType { type_strindex, unit_strindex });
            profiles.push(message::Profile { sample_type, samples, time_unix_nano, duration_nano });
        }
        let scope =
            Scope { name: env!("CARGO_PKG_NAME").to_owned(), version: env!("CARGO_PKG_VERSION").to_owned() };
        let attributes =
            resource.iter().map(|(key, value)| KeyValue { key: key.clone(), value: text(value) }).collect();
        let resource_profiles = vec![ResourceProfiles {
            resource: Some(Resource { attributes }),
            scope_profiles: vec![ScopeProfiles { scope: Some(scope), profiles }],
        }];
        let message = ProfilesData { resource_profiles, dictionary: Some(tables.dictionary) };
        out.write_all(&message.encode_to_vec())?;
        out.flush()
    }
}
