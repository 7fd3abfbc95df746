//! The decoder in C++, and the definitions that are passed to its runtime.

use std::ffi::{CString, c_char, c_void};

use argvalues::ArgumentRange;

#[repr(C)]
struct Range {
    address: usize,
    length: usize,
}

unsafe extern "C" {
    fn baseline_class(id: usize, token: u32, name: *const c_char, size: u32, element: u8);
    fn baseline_field(id: usize, token: u32, name: *const c_char, offset: u32, element_type: u8);
    fn baseline_method() -> *mut c_void;
    fn baseline_parameter(method: *mut c_void, name: *const c_char, element_type: u8, token: u32);
    fn baseline_decode(method: *const c_void, ranges: *const Range, line: *mut u8, room: usize) -> usize;
    fn baseline_allocations() -> u64;
}

fn c_string(text: &str) -> CString {
    CString::new(text).expect("names have no zero bytes")
}

/// Defines a class: its id, which is the header of its objects; its token if it is a value type; its items if it is
/// an array.
pub fn class(id: usize, token: u32, name: &str, element: u8) {
    // SAFETY: the name is copied.
    unsafe { baseline_class(id, token, c_string(name).as_ptr(), 0, element) };
}

/// Defines a field of a class.
pub fn field(id: usize, token: u32, name: &str, offset: usize, element_type: u8) {
    let offset = u32::try_from(offset).expect("a small offset");
    // SAFETY: the name is copied.
    unsafe { baseline_field(id, token, c_string(name).as_ptr(), offset, element_type) };
}

/// The number of allocations in C++.
pub fn allocations() -> u64 {
    // SAFETY: it reads a number.
    unsafe { baseline_allocations() }
}

/// A method and the arguments of a call.
pub struct Call {
    method: *mut c_void,
    ranges: Vec<Range>,
    line: Vec<u8>,
}

impl Call {
    /// A call of a method with these parameters: name, element type, token.
    pub fn new(parameters: &[(&str, u8, u32)], ranges: &[ArgumentRange]) -> Self {
        assert_eq!(parameters.len(), ranges.len());
        // SAFETY: the method is never freed; names are copied.
        let method = unsafe {
            let method = baseline_method();
            for (name, element_type, token) in parameters {
                baseline_parameter(method, c_string(name).as_ptr(), *element_type, *token);
            }
            method
        };
        let ranges = ranges
            .iter()
            .map(|range| Range { address: range.address, length: range.length as usize })
            .collect();
        Self { method, ranges, line: vec![0; 2048] }
    }

    /// Decodes the arguments: the line.
    pub fn decode(&mut self) -> &[u8] {
        // SAFETY: there is a range for each parameter, in memory that lives as long as the process.
        let length = unsafe {
            baseline_decode(self.method, self.ranges.as_ptr(), self.line.as_mut_ptr(), self.line.len())
        };
        &self.line[..length]
    }
}
