//! The kinds of statements, and their names in messages and statistics.

macro_rules! kinds {
    ($($kind:ident $name:literal,)*) => {
        /// The kind of a statement.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum Kind {$(
            #[doc = concat!("`", $name, "`.")]
            $kind,
        )*}

        impl Kind {
            /// All kinds, in the order of their numbers.
            pub const ALL: &[Self] = &[$(Self::$kind),*];

            /// Whether what other images have done may be seen after it, and what this one has done by them.
            /// Image control statements have to; subroutines may, and programs rely on it.
            #[inline(always)]
            pub const fn ends_segment(self) -> bool {
                !matches!(self, Self::Get | Self::Put | Self::Allocated)
            }

            /// The name in Fortran.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$kind => $name,)*
                }
            }
        }
    };
}

kinds! {
    Begin "begin of the program",
    End "end of the program",
    Get "get",
    Put "put",
    Allocated "allocated",
    Allocate "allocate",
    Deallocate "deallocate",
    SyncAll "sync all",
    SyncImages "sync images",
    SyncMemory "sync memory",
    SyncTeam "sync team",
    EventPost "event post",
    EventWait "event wait",
    EventQuery "event_query",
    Lock "lock",
    Unlock "unlock",
    AtomicDefine "atomic_define",
    AtomicRef "atomic_ref",
    AtomicCas "atomic_cas",
    AtomicOperation "atomic operation",
    CoBroadcast "co_broadcast",
    CoSum "co_sum",
    CoMin "co_min",
    CoMax "co_max",
    CoReduce "co_reduce",
    FormTeam "form team",
    ChangeTeam "change team",
    EndTeam "end team",
    TeamNumber "team_number",
    GetCommunicator "get_communicator",
    NumImages "num_images",
    ImageStatus "image_status",
    FailedImages "failed_images",
    StoppedImages "stopped_images",
    RandomInit "random_init",
}
