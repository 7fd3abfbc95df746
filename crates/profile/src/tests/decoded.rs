//! Files read back by decoders and against writers of other projects.

use serde_json::Value;

use super::{sampled, written};
use crate::{Format, Interval};

/// The samples of Main, A and B as [`sampled`] adds them: the frames innermost first, the values, thread and state.
type Stacked = (Vec<String>, i64, Vec<(String, String)>);

fn expected(value: usize) -> Vec<Stacked> {
    let labels = |thread: &str, name: &str| {
        let mut labels = vec![("thread.id".to_owned(), thread.to_owned())];
        if !name.is_empty() {
            labels.push(("thread.name".to_owned(), name.to_owned()));
        }
        labels.push(("state".to_owned(), "on".to_owned()));
        labels
    };
    let stack = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
    let all = [
        (stack(&["A;x", "Main"]), [7, 7_000], labels("1", "main")),
        (stack(&["B", "A;x", "Main"]), [1, 1_500], labels("1", "main")),
        (stack(&["B", "Main"]), [2, 2_000], labels("1", "main")),
        (stack(&["A;x", "Main"]), [5, 5_001], labels("2", "")),
    ];
    all.into_iter().map(|(stack, values, labels)| (stack, values[value], labels)).collect()
}

/// The crate of OpenTelemetry, generated from the protocol's schema, reads the same samples.
#[cfg(feature = "otlp")]
#[test]
fn another_decoder_reads_otlp() {
    use std::time::{Duration, UNIX_EPOCH};

    use opentelemetry_proto::tonic::collector::profiles::v1development::ExportProfilesServiceRequest;
    use opentelemetry_proto::tonic::common::v1::AnyValue;
    use opentelemetry_proto::tonic::common::v1::any_value;
    use opentelemetry_proto::tonic::profiles::v1development::{Location, Mapping, ProfilesData, Stack};
    use prost::Message as _;

    fn text(value: Option<&AnyValue>) -> String {
        match value.and_then(|value| value.value.as_ref()) {
            Some(any_value::Value::StringValue(text)) => text.clone(),
            Some(any_value::Value::IntValue(number)) => number.to_string(),
            other => panic!("{other:?}"),
        }
    }
    let at = |index: i32| usize::try_from(index).unwrap();

    let mut profile = sampled();
    let begin = UNIX_EPOCH + Duration::from_secs(1_700_000_000);
    profile.set_interval(Interval { begin, length: Duration::from_secs(15) });
    let mut bytes = Vec::new();
    let resource = [("service.name".to_owned(), "shop".to_owned())];
    profile.write_otlp(&resource, &mut bytes).unwrap();
    let read = ProfilesData::decode(bytes.as_slice()).unwrap();
    let request = ExportProfilesServiceRequest::decode(bytes.as_slice()).unwrap();
    assert_eq!(
        (&request.resource_profiles, &request.dictionary),
        (&read.resource_profiles, &read.dictionary)
    );
    // No field is lost on the way.
    assert_eq!(read.encoded_len(), bytes.len());

    let tables = read.dictionary.unwrap();
    assert_eq!(tables.mapping_table, [Mapping::default()]);
    assert_eq!(
        (&tables.location_table[0], &tables.stack_table[0]),
        (&Location::default(), &Stack::default())
    );
    assert_eq!(tables.string_table[0], "");
    let [of_resource] = &read.resource_profiles[..] else { panic!("{:?}", read.resource_profiles) };
    let attributes = &of_resource.resource.as_ref().unwrap().attributes;
    assert_eq!(
        (attributes[0].key.as_str(), text(attributes[0].value.as_ref())),
        ("service.name", "shop".to_owned())
    );
    let profiles = &of_resource.scope_profiles[0].profiles;
    let types: Vec<_> = profiles
        .iter()
        .map(|profile| {
            let kind = profile.sample_type.unwrap();
            let string = |index| tables.string_table[at(index)].as_str();
            (string(kind.type_strindex), string(kind.unit_strindex))
        })
        .collect();
    assert_eq!(types, [("samples", "count"), ("cpu", "nanoseconds")]);
    for (value, profile) in profiles.iter().enumerate() {
        assert_eq!(
            (profile.time_unix_nano, profile.duration_nano),
            (1_700_000_000_000_000_000, 15_000_000_000)
        );
        let samples = profile.samples.iter().map(|sample| {
            let stack = tables.stack_table[at(sample.stack_index)].location_indices.iter().map(|location| {
                let line = tables.location_table[at(*location)].lines[0];
                let function = tables.function_table[at(line.function_index)];
                assert_eq!(tables.string_table[at(function.filename_strindex)], "shop.dll");
                tables.string_table[at(function.name_strindex)].clone()
            });
            let labels = sample.attribute_indices.iter().map(|attribute| {
                let attribute = &tables.attribute_table[at(*attribute)];
                (tables.string_table[at(attribute.key_strindex)].clone(), text(attribute.value.as_ref()))
            });
            assert_eq!(sample.values.len(), 1);
            (stack.collect(), sample.values[0], labels.collect())
        });
        assert_eq!(samples.collect::<Vec<Stacked>>(), expected(value));
    }
}

/// The samples of a thread in a file of the Firefox Profiler: frames outermost first, and weights.
fn samples(thread: &Value) -> Vec<(Vec<String>, f64)> {
    let index = |value: &Value| usize::try_from(value.as_u64().unwrap()).unwrap();
    let samples = &thread["samples"];
    let count = samples["length"].as_u64().unwrap();
    assert_eq!(samples["stack"].as_array().unwrap().len() as u64, count);
    assert_eq!(samples["timeDeltas"].as_array().unwrap().len() as u64, count);
    let stacks = samples["stack"].as_array().unwrap().iter().zip(samples["weight"].as_array().unwrap());
    let stacks = stacks.map(|(stack, weight)| {
        let mut frames = Vec::new();
        let mut stack = stack;
        while !stack.is_null() {
            let frame = &thread["stackTable"]["frame"][index(stack)];
            let function = &thread["frameTable"]["func"][index(frame)];
            let name = &thread["funcTable"]["name"][index(function)];
            frames.push(thread["stringArray"][index(name)].as_str().unwrap().to_owned());
            stack = &thread["stackTable"]["prefix"][index(stack)];
        }
        frames.reverse();
        (frames, weight.as_f64().unwrap())
    });
    stacks.collect()
}

/// The names of the fields of all objects in a file, by their paths, and the lengths of the columns of each table.
fn shape(value: &Value, path: &str, shape: &mut Vec<String>) {
    match value {
        Value::Object(fields) => {
            if let Some(length) = fields.get("length").and_then(Value::as_u64) {
                for (name, column) in fields {
                    let columns = column.as_array().map_or(length, |column| column.len() as u64);
                    assert_eq!(columns, length, "{path}.{name}");
                }
            }
            for (name, field) in fields {
                shape.push(format!("{path}.{name}"));
                self::shape(field, &format!("{path}.{name}"), shape);
            }
        }
        Value::Array(elements) => {
            elements.first().into_iter().for_each(|first| self::shape(first, &format!("{path}[]"), shape));
        }
        _ => {}
    }
}

/// The crate that Firefox's developers write such files with writes the same stacks, tables and fields.
#[test]
fn another_writer_of_the_firefox_format_writes_the_same() {
    use fxprof_processed_profile as other;
    use other::{CpuDelta, Frame, FrameFlags, FrameInfo, ReferenceTimestamp, SamplingInterval, Timestamp};

    let mut theirs = other::Profile::new(
        "shop",
        ReferenceTimestamp::from_millis_since_unix_epoch(0.0),
        SamplingInterval::from_millis(1),
    );
    theirs.set_symbolicated(true);
    let process = theirs.add_process("shop", 1, Timestamp::from_nanos_since_reference(0));
    for (thread, name) in [("1", "main (1)"), ("2", "thread 2")] {
        let handle = theirs.add_thread(
            process,
            thread.parse().unwrap(),
            Timestamp::from_nanos_since_reference(0),
            false,
        );
        theirs.set_thread_name(handle, name);
        for (stack, value, labels) in expected(0) {
            if labels[0].1 != thread {
                continue;
            }
            let strings: Vec<_> = stack.iter().rev().map(|name| theirs.intern_string(name)).collect();
            let frames = strings.into_iter().map(|string| FrameInfo {
                frame: Frame::Label(string),
                category_pair: other::CategoryHandle::OTHER.into(),
                flags: FrameFlags::empty(),
            });
            let stack = theirs.intern_stack_frames(handle, frames.collect::<Vec<_>>().into_iter());
            let time = Timestamp::from_nanos_since_reference(0);
            theirs.add_sample(handle, time, stack, CpuDelta::ZERO, i32::try_from(value).unwrap());
        }
    }
    let theirs = serde_json::to_value(&theirs).unwrap();
    let ours: Value = serde_json::from_slice(&written(&sampled(), Format::Firefox, 0)).unwrap();
    let version = |file: &Value| file["meta"]["preprocessedProfileVersion"].as_u64().unwrap();
    assert_eq!((version(&ours), version(&theirs)), (55, 55));

    let threads = |file: &Value| file["threads"].as_array().unwrap().clone();
    assert_eq!((threads(&ours).len(), threads(&theirs).len()), (2, 2));
    for (ours, theirs) in threads(&ours).iter().zip(&threads(&theirs)) {
        assert_eq!(ours["name"], theirs["name"]);
        assert_eq!(ours["samples"]["weightType"], theirs["samples"]["weightType"]);
        assert_eq!(samples(ours), samples(theirs));
    }
    let fields = |file: &Value| {
        let mut fields = Vec::new();
        shape(file, "", &mut fields);
        fields.sort();
        // It is optional, and a profile without times has none.
        fields.retain(|field| !field.ends_with(".threadCPUDelta"));
        fields
    };
    assert_eq!(fields(&ours), fields(&theirs));

    // Times are milliseconds, with all digits.
    let ours: Value = serde_json::from_slice(&written(&sampled(), Format::Firefox, 1)).unwrap();
    assert_eq!(ours["threads"][0]["samples"]["weightType"], "tracing-ms");
    let weights: Vec<f64> = samples(&ours["threads"][0]).into_iter().map(|(_, weight)| weight).collect();
    assert_eq!(weights, [0.007, 0.0015, 0.002]);
}
