// The profilers of this library, and the class id of each. `cargo xtask bench hooks` reads the same file.
[
    ("empty", "{5C8F21D0-77A1-4E0B-9D55-3A6E0C1B0001}"),
    ("counted", "{5C8F21D0-77A1-4E0B-9D55-3A6E0C1B0002}"),
    ("captured", "{5C8F21D0-77A1-4E0B-9D55-3A6E0C1B0003}"),
    ("timed", "{5C8F21D0-77A1-4E0B-9D55-3A6E0C1B0004}"),
    ("decoded", "{5C8F21D0-77A1-4E0B-9D55-3A6E0C1B0005}"),
    ("info-counted", "{5C8F21D0-77A1-4E0B-9D55-3A6E0C1B0006}"),
    ("info-captured", "{5C8F21D0-77A1-4E0B-9D55-3A6E0C1B0007}"),
    ("info-timed", "{5C8F21D0-77A1-4E0B-9D55-3A6E0C1B0008}"),
    ("info-decoded", "{5C8F21D0-77A1-4E0B-9D55-3A6E0C1B0009}"),
]
