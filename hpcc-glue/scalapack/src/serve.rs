//! Decides for each call of the program: hcube or ScaLAPACK.
//!
//! The decision follows from arguments that are the same on all ranks, and from one vote per communicator at
//! its first call. A call with invalid arguments is forwarded to ScaLAPACK, which reports the error as usual.
//! Only leading dimensions differ between ranks; an error there ends the job, even if other ranks have begun.

use crate::verdict::{Reason, Verdict};
use hcube_core::error::Error;
use hcube_core::mpi::handle::abort;
use hcube_drop_in::launcher::is_first_rank;
use hcube_drop_in::mpi_library;
use hcube_gemm::element::Element;
use hcube_gemm::options::Options;
use hcube_gemm::pblas::{Call, Left, Obstacle, Service, product};
use std::sync::OnceLock;

/// The decision on a call.
#[derive(Debug, Clone)]
pub struct Decision {
    /// Its outcome.
    pub verdict: Verdict,
    /// This rank's share of its floating-point operations.
    pub flops: u64,
}

/// hcube for this program: any of its four functions may be called next.
const SERVICE: Service<'static> =
    Service { name: None, options: Options::from_environment, elements: Element::ALL };

/// Whether the program uses another MPI library than the one that this library was built for.
fn is_foreign() -> bool {
    static FOREIGN: OnceLock<bool> = OnceLock::new();
    *FOREIGN.get_or_init(|| {
        let Some([program, build]) = mpi_library::foreign() else { return false };
        if is_first_rank() {
            eprintln!(
                "hcube: this program uses {program}, but libhcube_pblas.so was built for {build}: all calls are left \
                 to ScaLAPACK"
            );
        }
        true
    })
}

/// Serves a call, or returns why not.
///
/// # Safety
/// The call is made by a program that calls PBLAS.
pub unsafe fn serve(call: &Call) -> Decision {
    let left = |reason| Decision { verdict: Verdict::Original(reason), flops: 0 };
    if is_foreign() {
        return left(Reason::OtherMpi);
    }
    // SAFETY: a program that calls PBLAS passes the arguments, and its matrices stay during the call.
    match unsafe { product(call) } {
        Err(obstacle) => left(match obstacle {
            Obstacle::NoBlacs => Reason::NoBlacs,
            Obstacle::Inactive => Reason::Inactive,
            Obstacle::Wide => Reason::Wide,
            Obstacle::NotInGrid => Reason::NotInGrid,
            Obstacle::Invalid(_) => Reason::Invalid,
        }),
        Ok((product, comm)) => match SERVICE.multiply(&product, comm) {
            Ok(Ok(report)) => Decision {
                verdict: Verdict::Served(report),
                flops: product.flops() / product.grid.size() as u64,
            },
            Ok(Err(reason)) => left(match reason {
                Left::Chosen => Reason::Chosen,
                Left::OtherOrder => Reason::OtherOrder,
                Left::NoBlas => Reason::NoBlas,
            }),
            Err(error) => end(&error),
        },
    }
}

/// A failure inside a collective call, which cannot return an error.
#[cold]
fn end(error: &Error) -> ! {
    eprintln!("hcube: {error}; other ranks are waiting for this one: ending the job");
    abort(None)
}
