//! The types of STREAM for C.

/// Three vectors and the kernels selected for them; opaque. Created by hcube_stream_create and freed by
/// hcube_stream_free.
#[expect(non_camel_case_types, reason = "a name of C")]
pub struct hcube_stream(pub(crate) ::hcube_stream::Stream);
