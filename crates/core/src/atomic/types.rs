//! What the atomic types of builds with models and with faults have in common: their list, and the functions
//! that only pass on.

/// Makes all types by a macro. It gets the name of each one, its values, and the functions that change one,
/// each with the function of the value that has the same effect.
macro_rules! of_all_types {
    ($make:ident) => {
        of_all_types!($make: AtomicU8 u8, AtomicU32 u32, AtomicU64 u64, AtomicUsize usize);
        of_all_types!($make: AtomicI32 i32, AtomicI64 i64);
        $make!(AtomicBool, bool, fetch_and bitand, fetch_or bitor, fetch_xor bitxor);
    };
    ($make:ident: $($name:ident $value:ty),*) => {
        $($make!(
            $name, $value, fetch_add wrapping_add, fetch_sub wrapping_sub, fetch_max max, fetch_min min,
            fetch_and bitand, fetch_or bitor, fetch_xor bitxor
        );)*
    };
}

/// The functions of a type that are the standard library's, or another one of the same type.
macro_rules! passed_on {
    ($value:ty) => {
        /// The one at a place.
        ///
        /// # Safety
        /// As of the function of the standard library.
        pub unsafe fn from_ptr<'a>(place: *mut $value) -> &'a Self {
            // SAFETY: the same layout; the rest is the caller's.
            unsafe { &*place.cast() }
        }

        /// Its value, while nobody else accesses it.
        pub fn get_mut(&mut self) -> &mut $value {
            self.0.get_mut()
        }

        /// Its value.
        pub fn into_inner(self) -> $value {
            self.0.into_inner()
        }

        /// As [`Self::compare_exchange`]; it never fails without a reason.
        #[track_caller]
        pub fn compare_exchange_weak(
            &self,
            current: $value,
            new: $value,
            success: Ordering,
            failure: Ordering,
        ) -> Result<$value, $value> {
            self.compare_exchange(current, new, success, failure)
        }
    };
}
