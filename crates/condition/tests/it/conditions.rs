//! Conditions over the values of a call.
#![allow(clippy::unwrap_used, reason = "of conditions that the tests themselves state")]

use corprof_condition::{Condition, Head, Path, Source, Step, Value};

/// `Place(order, state, path)`, with two items in the order.
struct Call {
    asked: usize,
}

impl Source for Call {
    fn visit(&mut self, path: &Path, seen: &mut dyn FnMut(Value<'_>)) {
        self.asked += 1;
        let text: Vec<u16> = "/api/orders".encode_utf16().collect();
        let fields: Vec<&str> = path
            .steps()
            .iter()
            .map(|step| match step {
                Step::Field(name) => name.as_str(),
                Step::Item(_) => "[]",
                _ => "*",
            })
            .collect();
        let name = match path.head() {
            Head::Argument(name) => name.as_str(),
            Head::Return => "return",
            Head::Exception => "exception",
            Head::Duration => "duration",
            Head::ThreadName => "thread",
            Head::Any => "*",
            _ => "this",
        };
        match (name, fields.as_slice()) {
            ("order", []) => seen(Value::Object("Shop.Order")),
            ("order", ["Total"]) => seen(Value::Formatted("250.00")),
            ("order", ["Paid"]) => seen(Value::Integer(200)),
            ("order", ["IsPaid"]) => seen(Value::Bool(false)),
            ("order", ["Items", "Price"]) => {
                [1.0, 249.0].into_iter().for_each(|price| seen(Value::Float(price)))
            }
            ("order", ["Items", "[]", "Price"]) => seen(Value::Float(249.0)),
            ("order", ["Customer"]) | ("return", []) => seen(Value::Null),
            ("state", []) => seen(Value::Enumeration(2, "Shop.State.Open")),
            ("path", []) => seen(Value::Utf16(&text)),
            ("exception", []) => seen(Value::Object("System.TimeoutException")),
            ("duration", []) => seen(Value::Nanoseconds(250_000_000)),
            ("odd name", []) => seen(Value::Integer(-1)),
            ("thread", []) => seen(Value::Text(".NET TP Worker")),
            _ => {}
        }
    }
}

fn holds(text: &str) -> bool {
    let condition: Condition = text.parse().unwrap();
    assert_eq!(condition.to_string(), text);
    condition.decide(|comparison| Some(comparison.holds(&mut Call { asked: 0 }))).unwrap()
}

#[test]
fn conditions_hold_as_their_values_are() {
    for (text, expected) in [
        ("order.Total > 100", true),
        ("order.Total > 100 && return == null", true),
        ("100 < order.Total", true),
        ("order.Total == 250", true),
        ("order.Total = 250.0", true),
        ("order.Total > order.Paid", true),
        ("order.Paid >= order.Total", false),
        ("order.IsPaid", false),
        ("!order.IsPaid", true),
        ("order.IsPaid == false", true),
        ("order.Customer == null", true),
        ("order.Customer != null", false),
        ("order != null", true),
        ("order != 3 || order == 3 || order != \"Shop.Order\"", false),
        ("order is Order && order is Shop.Order", true),
        ("order is \"Shop.Order\"", true),
        ("order is Customer", false),
        ("order.Missing == 1", false),
        ("order.Missing != 1", false),
        ("!(order.Missing == 1)", true),
        ("order.Items.Price < 1.5", true),
        ("order.Items.Price != 1.0", true),
        ("!(order.Items.Price == 1)", false),
        ("order.Items[1].Price == 249", true),
        ("state == \"Open\"", true),
        ("state == 2", true),
        ("state > 1 && state < 3", true),
        ("state == \"Shop.State.Open\"", true),
        ("state == \"Closed\"", false),
        ("path ~ \"^/api/\"", true),
        ("path ~ '^/api/\\w+$'", true),
        ("path !~ \"orders\"", false),
        ("path == \"/api/orders\"", true),
        ("path < \"/b\"", true),
        ("path == 3", false),
        ("exception is TimeoutException", true),
        ("exception is IOException || duration >= 200ms", true),
        ("duration < 0.25s", false),
        ("duration <= 0.25s", true),
        ("0h < duration", true),
        ("arg(\"odd name\") == -1", true),
        ("arg('odd name') < -0.5", true),
        ("thread.name ~ 'Worker'", true),
        ("false == order.IsPaid", true),
        ("order.IsPaid || order.Paid == 1 && order.Paid == 2", false),
        ("(order.IsPaid || order.Paid == 200) && order.Paid == 0xC8", true),
        ("order.Paid == 2_00 && order.Paid == 2e2", true),
    ] {
        assert_eq!(holds(text), expected, "{text}");
    }
}

#[test]
fn what_is_known_early_decides() {
    let condition: Condition = "order.Paid == 1 && return != null || duration > 1s".parse().unwrap();
    // Only the argument is known.
    let early = |paid: bool| condition.decide_numbered(|number| (number == 0).then_some(paid));
    assert_eq!(early(false), None);
    let with = |known: [Option<bool>; 3]| condition.decide_numbered(|number| known[number]);
    assert_eq!(with([Some(false), None, Some(false)]), Some(false));
    assert_eq!(with([None, None, Some(true)]), Some(true));
    assert_eq!(with([None, Some(false), Some(false)]), Some(false));
    assert_eq!(with([Some(true), None, Some(false)]), None);
    let condition: Condition = "order.Paid == 1 && return != null".parse().unwrap();
    let mut asked = Vec::new();
    let decided = condition.decide_numbered(|number| {
        asked.push(number);
        Some(false)
    });
    assert_eq!((decided, asked), (Some(false), vec![0]));
    let names: Vec<String> = condition.comparisons().iter().map(|one| one.path().to_string()).collect();
    assert_eq!(names, ["order.Paid", "return"]);
}

#[test]
fn errors_show_the_column() {
    for (text, column, what) in [
        ("", 0, "a condition is missing"),
        ("order.Total >", 13, "and not its end"),
        ("order.Total > > 3", 14, "and not `>`"),
        ("name=apple pie", 11, "&& or || is expected, and not `pie`"),
        ("3 < 4", 0, "both sides are constants"),
        ("(a == 1", 7, "`)` is expected"),
        ("a == 1)", 6, "has not been opened"),
        ("duration > 200", 11, "a unit"),
        ("count > 200ms", 8, "`duration` only"),
        ("duration > 200parsecs", 11, "`parsecs` is no unit"),
        ("a ~ b", 4, "in quotes"),
        ("a ~ \"(\"", 4, "no regular expression"),
        ("a == \"x", 5, "no closing"),
        ("a < null", 2, "== and != only"),
        ("a..b == 1", 2, "the name of a field"),
        ("a[x] == 1", 2, "number of an item"),
        ("thread.id == 1", 0, "thread.name"),
        ("duration.ms > 1s", 0, "has no fields"),
        ("a # 1", 2, "means nothing"),
        ("é == 1 & b", 7, "means nothing"),
        ("*", 1, "a comparison is expected"),
        ("a == 99999999999999999999999999999999999999999", 5, "too large"),
    ] {
        let error = text.parse::<Condition>().unwrap_err();
        assert!(error.what().contains(what), "{text}: {error}");
        assert_eq!(error.column(), column, "{text}: {error}");
    }
    let deep = format!("{}a == 1", "!(".repeat(10_000));
    assert!(deep.parse::<Condition>().unwrap_err().what().contains("parentheses"));
    let long = vec!["a == 1"; 100_000].join(" || ");
    assert!(long.parse::<Condition>().unwrap_err().what().contains("comparisons"));
}

#[test]
fn paths_are_displayed_as_they_are_written() {
    for text in
        ["order.Items[2].Price", "this._cart.*", "*", "arg(\"odd name\")", "arg(\"duration\")", "exception"]
    {
        let condition: Condition = format!("{text} == 1").parse().unwrap();
        assert_eq!(condition.comparisons()[0].path().to_string(), text);
    }
}

/// Any text is parsed or refused, in a bounded depth.
#[test]
fn random_texts_do_not_panic() {
    const PIECES: [&str; 28] = [
        "a", ".", "*", "(", ")", "!", "&&", "||", "==", "<", "~", "is", "\"", "'", "\\", "1", "0x", "1.",
        "e", "5ms", "-", "[", "]", " ", "é", "duration", "arg", "null",
    ];
    let mut random: u64 = 7;
    for _ in 0..200_000 {
        let mut text = String::new();
        for _ in 0..=(random >> 60) {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            text.push_str(PIECES[usize::try_from(random >> 33).unwrap() % PIECES.len()]);
        }
        if let Err(error) = text.parse::<Condition>() {
            assert!(!error.to_string().is_empty());
        }
    }
}
