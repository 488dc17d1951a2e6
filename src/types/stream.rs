//! The types of STREAM for C.

/// Three vectors and the kernels that are fastest on them. Created by hcube_stream_create and freed
/// by hcube_stream_free; its contents are hcube's.
#[expect(non_camel_case_types, reason = "a name of C")]
pub struct hcube_stream(pub(crate) ::hcube_stream::Stream);
