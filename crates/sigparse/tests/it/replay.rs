//! Replays inputs that fuzzing has found: `cargo xtask fuzz --keep` writes `tests/corpus`.

/// Runs a check with each line of a corpus, which is hexadecimal.
pub(crate) fn replay(corpus: &str, check: fn(&[u8])) {
    let mut inputs = 0;
    for line in corpus.lines() {
        let bytes = line.as_bytes().chunks(2).map(|digits| std::str::from_utf8(digits).unwrap());
        let input: Vec<u8> = bytes.map(|digits| u8::from_str_radix(digits, 16).unwrap()).collect();
        check(&input);
        inputs += 1;
    }
    assert!(inputs >= 50, "only {inputs} inputs");
}
