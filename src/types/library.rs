//! Errors in the C interface.

/// The error of a call. Allocated by the caller and need not be initialised: every function with an argument
/// error sets it, unless the argument is NULL.
#[repr(C)]
pub struct hcube_error {
    /// The code that the function returns: HCUBE_SUCCESS or HCUBE_ERR_*.
    pub code: i32,
    /// A message that names the argument and its value, terminated by a zero byte; empty on success.
    pub message: [std::ffi::c_char; 508],
}

impl hcube_error {
    pub(crate) fn set(&mut self, code: i32, text: &str) {
        self.code = code;
        let length = text.len().min(self.message.len() - 1);
        for (to, from) in self.message.iter_mut().zip(text.bytes().take(length)) {
            *to = from as std::ffi::c_char;
        }
        // Bytes after it are unchanged: short functions are called often, and mostly succeed.
        self.message[length] = 0;
    }
}
