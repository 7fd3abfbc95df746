use super::*;

/// `depth event method [return]`, one per line.
fn records(text: &str) -> Vec<Record> {
    let parse = |line: &str| {
        let words: Vec<_> = line.split_whitespace().collect();
        let event = match words[1] {
            "enter" => Event::Enter {
                signature: format!("void {}()", words[2]),
                this: None,
                args: Vec::new(),
                error: None,
            },
            "leave" => Event::Leave {
                result: words.get(3).map(|word| ("int".to_owned(), word.parse().unwrap())),
                outs: Vec::new(),
            },
            "tailcall" => Event::Tailcall,
            _ => Event::Unwind { exception: "System.Exception".to_owned() },
        };
        let (depth, method) = (words[0].parse().unwrap(), words[2].to_owned());
        Record { thread: 1, depth, module: "a.dll".to_owned(), method, event }
    };
    text.lines().map(str::trim).filter(|line| !line.is_empty()).map(parse).collect()
}

const REPORT: &str = "
    0 enter A.Main
    1 enter A.One
    2 enter A.Two
    2 unwind A.Two
    1 leave A.One 5
    0 leave A.Main 0";

#[track_caller]
fn differs(trace: &str, finding: &str) {
    let result = compare(&records(REPORT), &records(trace));
    assert!(result.findings.iter().any(|f| f.contains(finding)), "{result}");
}

#[test]
fn a_report_equals_itself() {
    let result = compare(&records(REPORT), &records(REPORT));
    assert_eq!((result.found, result.events, result.tally.exact_total()), (0, 6, 2), "{result}");
}

#[test]
fn a_wrong_return_value_is_found() {
    differs(&REPORT.replace("One 5", "One 6"), "return: 6, expected 5");
    differs(&REPORT.replace("One 5", "One"), "returns None");
}

#[test]
fn a_missing_call_is_found_and_the_rest_still_compared() {
    let trace = REPORT.replace("    2 enter A.Two\n    2 unwind A.Two\n", "");
    let result = compare(&records(REPORT), &records(&trace));
    assert_eq!((result.found, result.events), (2, 4), "{result}");
    differs(&trace, "missing    [1] depth  2 enter    A.Two");
}

#[test]
fn an_extra_call_is_found() {
    let trace = REPORT.replace("2 enter A.Two", "2 enter A.Three\n 2 leave A.Three\n 2 enter A.Two");
    differs(&trace, "unexpected [1] depth  2 enter    A.Three");
}

#[test]
fn a_wrong_end_depth_module_or_exception_is_found() {
    differs(&REPORT.replace("2 unwind", "2 leave"), "missing    [1] depth  2 unwind");
    differs(&REPORT.replace("2 enter", "3 enter"), "depth 3 in the trace");
    let mut trace = records(REPORT);
    trace[0].module = "b.dll".to_owned();
    trace[3].event = Event::Unwind { exception: "System.Other".to_owned() };
    let result = compare(&records(REPORT), &trace);
    assert_eq!(result.found, 2, "{result}");
}

#[test]
fn methods_of_the_compiler_are_left_out_with_their_frames() {
    let trace = "
        0 enter A.Main
        1 enter A.<>c..ctor
        1 leave A.<>c..ctor
        1 enter A.<One>d__1.MoveNext
        2 enter A.One
        3 enter A.Two
        3 unwind A.Two
        2 leave A.One 5
        1 leave A.<One>d__1.MoveNext 1
        0 leave A.Main 0";
    let result = compare(&records(REPORT), &records(trace));
    assert_eq!((result.found, result.events, result.silent), (0, 6, 4), "{result}");
}

#[test]
fn a_method_of_the_compiler_that_reports_itself_is_compared() {
    let report = "0 enter A.<>c.<Main>b__0\n 0 leave A.<>c.<Main>b__0 1";
    let result = compare(&records(report), &records(&report.replace("0 1", "0 2")));
    assert_eq!((result.found, result.silent), (1, 0), "{result}");
}

#[test]
fn a_tail_call_may_stand_for_a_return_and_is_counted() {
    let result = compare(&records(REPORT), &records(&REPORT.replace("1 leave A.One 5", "1 tailcall A.One")));
    assert_eq!((result.found, result.tail_calls), (0, 1), "{result}");
    let result = compare(&records(REPORT), &records(&REPORT.replace("2 unwind A.Two", "2 tailcall A.Two")));
    assert!(result.found > 0, "{result}");
}

#[test]
fn threads_are_compared_separately() {
    let mut trace = records(REPORT);
    trace.iter_mut().for_each(|record| record.thread = 2);
    assert_eq!(compare(&records(REPORT), &trace).found, 12);
}

#[test]
fn generated_constructors_and_state_machine_starters_are_left_out() {
    let report = "
        0 enter A.Main
        1 enter A.B<int>..ctor
        1 leave A.B<int>..ctor
        1 enter A.<Wait>d__7<int>.MoveNext
        1 leave A.<Wait>d__7<int>.MoveNext
        0 leave A.Main";
    let trace = "
        0 enter A.Main
        1 enter A.C..cctor
        1 leave A.C..cctor
        1 enter A.D<A.B<int>>..ctor
        2 enter A.B<int>..ctor
        2 leave A.B<int>..ctor
        1 leave A.D<A.B<int>>..ctor
        1 enter A.Wait<int>
        2 enter A.<Wait>d__7<int>.MoveNext
        2 leave A.<Wait>d__7<int>.MoveNext
        1 leave A.Wait<int>
        0 leave A.Main";
    let result = compare(&records(report), &records(trace));
    assert_eq!((result.found, result.events, result.silent), (0, 6, 6), "{result}");
    // An explicit constructor, and another method with the same prefix.
    for other in ["A.B<string>..ctor", "A.Waiting"] {
        let result = compare(&records(report), &records(&trace.replace("A.C..cctor", other)));
        assert_eq!(result.found, 2, "{other}: {result}");
    }
}
