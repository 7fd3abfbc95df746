//! The vtable of the callback object: which function stands in which slot.
#![allow(non_snake_case, reason = "the callbacks keep their COM names here")]

use corprof_sys as sys;

use super::callbacks::thunks::*;
use super::object::CallbackObject;
use crate::profiler::Profiler;
use crate::raw::interface::{add_ref, query_interface, release};

/// The vtable of `P`'s callback object.
pub(super) const fn of<P: Profiler>() -> &'static sys::ICorProfilerCallback11Vtbl {
    const { &table::<P>() }
}

/// The whole vtable, version by version.
const fn table<P: Profiler>() -> sys::ICorProfilerCallback11Vtbl {
    sys::ICorProfilerCallback11Vtbl {
        base: sys::ICorProfilerCallback10Vtbl {
            base: sys::ICorProfilerCallback9Vtbl {
                base: sys::ICorProfilerCallback8Vtbl {
                    base: sys::ICorProfilerCallback7Vtbl {
                        base: sys::ICorProfilerCallback6Vtbl {
                            base: sys::ICorProfilerCallback5Vtbl {
                                base: sys::ICorProfilerCallback4Vtbl {
                                    base: sys::ICorProfilerCallback3Vtbl {
                                        base: sys::ICorProfilerCallback2Vtbl {
                                            base: sys::ICorProfilerCallbackVtbl {
                                                base: sys::IUnknownVtbl {
                                                    QueryInterface: query_interface::<CallbackObject<P>>,
                                                    AddRef: add_ref::<CallbackObject<P>>,
                                                    Release: release::<CallbackObject<P>>,
                                                },
                                                Initialize: Initialize::<P>,
                                                Shutdown: Shutdown::<P>,
                                                AppDomainCreationStarted: AppDomainCreationStarted::<P>,
                                                AppDomainCreationFinished: AppDomainCreationFinished::<P>,
                                                AppDomainShutdownStarted: AppDomainShutdownStarted::<P>,
                                                AppDomainShutdownFinished: AppDomainShutdownFinished::<P>,
                                                AssemblyLoadStarted: AssemblyLoadStarted::<P>,
                                                AssemblyLoadFinished: AssemblyLoadFinished::<P>,
                                                AssemblyUnloadStarted: AssemblyUnloadStarted::<P>,
                                                AssemblyUnloadFinished: AssemblyUnloadFinished::<P>,
                                                ModuleLoadStarted: ModuleLoadStarted::<P>,
                                                ModuleLoadFinished: ModuleLoadFinished::<P>,
                                                ModuleUnloadStarted: ModuleUnloadStarted::<P>,
                                                ModuleUnloadFinished: ModuleUnloadFinished::<P>,
                                                ModuleAttachedToAssembly: ModuleAttachedToAssembly::<P>,
                                                ClassLoadStarted: ClassLoadStarted::<P>,
                                                ClassLoadFinished: ClassLoadFinished::<P>,
                                                ClassUnloadStarted: ClassUnloadStarted::<P>,
                                                ClassUnloadFinished: ClassUnloadFinished::<P>,
                                                FunctionUnloadStarted: FunctionUnloadStarted::<P>,
                                                JITCompilationStarted: JITCompilationStarted::<P>,
                                                JITCompilationFinished: JITCompilationFinished::<P>,
                                                JITCachedFunctionSearchStarted:
                                                    JITCachedFunctionSearchStarted::<P>,
                                                JITCachedFunctionSearchFinished:
                                                    JITCachedFunctionSearchFinished::<P>,
                                                JITFunctionPitched: JITFunctionPitched::<P>,
                                                JITInlining: JITInlining::<P>,
                                                ThreadCreated: ThreadCreated::<P>,
                                                ThreadDestroyed: ThreadDestroyed::<P>,
                                                ThreadAssignedToOSThread: ThreadAssignedToOSThread::<P>,
                                                RemotingClientInvocationStarted,
                                                RemotingClientSendingMessage,
                                                RemotingClientReceivingReply,
                                                RemotingClientInvocationFinished,
                                                RemotingServerReceivingMessage,
                                                RemotingServerInvocationStarted,
                                                RemotingServerInvocationReturned,
                                                RemotingServerSendingReply,
                                                UnmanagedToManagedTransition: UnmanagedToManagedTransition::<P>,
                                                ManagedToUnmanagedTransition: ManagedToUnmanagedTransition::<P>,
                                                RuntimeSuspendStarted: RuntimeSuspendStarted::<P>,
                                                RuntimeSuspendFinished: RuntimeSuspendFinished::<P>,
                                                RuntimeSuspendAborted: RuntimeSuspendAborted::<P>,
                                                RuntimeResumeStarted: RuntimeResumeStarted::<P>,
                                                RuntimeResumeFinished: RuntimeResumeFinished::<P>,
                                                RuntimeThreadSuspended: RuntimeThreadSuspended::<P>,
                                                RuntimeThreadResumed: RuntimeThreadResumed::<P>,
                                                MovedReferences,
                                                ObjectAllocated: ObjectAllocated::<P>,
                                                ObjectsAllocatedByClass: ObjectsAllocatedByClass::<P>,
                                                ObjectReferences: ObjectReferences::<P>,
                                                RootReferences,
                                                ExceptionThrown: ExceptionThrown::<P>,
                                                ExceptionSearchFunctionEnter: ExceptionSearchFunctionEnter::<P>,
                                                ExceptionSearchFunctionLeave: ExceptionSearchFunctionLeave::<P>,
                                                ExceptionSearchFilterEnter: ExceptionSearchFilterEnter::<P>,
                                                ExceptionSearchFilterLeave: ExceptionSearchFilterLeave::<P>,
                                                ExceptionSearchCatcherFound: ExceptionSearchCatcherFound::<P>,
                                                ExceptionOSHandlerEnter: ExceptionOSHandlerEnter::<P>,
                                                ExceptionOSHandlerLeave: ExceptionOSHandlerLeave::<P>,
                                                ExceptionUnwindFunctionEnter: ExceptionUnwindFunctionEnter::<P>,
                                                ExceptionUnwindFunctionLeave: ExceptionUnwindFunctionLeave::<P>,
                                                ExceptionUnwindFinallyEnter: ExceptionUnwindFinallyEnter::<P>,
                                                ExceptionUnwindFinallyLeave: ExceptionUnwindFinallyLeave::<P>,
                                                ExceptionCatcherEnter: ExceptionCatcherEnter::<P>,
                                                ExceptionCatcherLeave: ExceptionCatcherLeave::<P>,
                                                COMClassicVTableCreated: COMClassicVTableCreated::<P>,
                                                COMClassicVTableDestroyed: COMClassicVTableDestroyed::<P>,
                                                ExceptionCLRCatcherFound: ExceptionCLRCatcherFound::<P>,
                                                ExceptionCLRCatcherExecute: ExceptionCLRCatcherExecute::<P>,
                                            },
                                            ThreadNameChanged: ThreadNameChanged::<P>,
                                            GarbageCollectionStarted: GarbageCollectionStarted::<P>,
                                            SurvivingReferences,
                                            GarbageCollectionFinished: GarbageCollectionFinished::<P>,
                                            FinalizeableObjectQueued: FinalizeableObjectQueued::<P>,
                                            RootReferences2: RootReferences2::<P>,
                                            HandleCreated: HandleCreated::<P>,
                                            HandleDestroyed: HandleDestroyed::<P>,
                                        },
                                        InitializeForAttach: InitializeForAttach::<P>,
                                        ProfilerAttachComplete: ProfilerAttachComplete::<P>,
                                        ProfilerDetachSucceeded: ProfilerDetachSucceeded::<P>,
                                    },
                                    ReJITCompilationStarted: ReJITCompilationStarted::<P>,
                                    GetReJITParameters: GetReJITParameters::<P>,
                                    ReJITCompilationFinished: ReJITCompilationFinished::<P>,
                                    ReJITError: ReJITError::<P>,
                                    MovedReferences2: MovedReferences2::<P>,
                                    SurvivingReferences2: SurvivingReferences2::<P>,
                                },
                                ConditionalWeakTableElementReferences: ConditionalWeakTableElementReferences::<
                                    P,
                                >,
                            },
                            GetAssemblyReferences: GetAssemblyReferences::<P>,
                        },
                        ModuleInMemorySymbolsUpdated: ModuleInMemorySymbolsUpdated::<P>,
                    },
                    DynamicMethodJITCompilationStarted: DynamicMethodJITCompilationStarted::<P>,
                    DynamicMethodJITCompilationFinished: DynamicMethodJITCompilationFinished::<P>,
                },
                DynamicMethodUnloaded: DynamicMethodUnloaded::<P>,
            },
            EventPipeEventDelivered: EventPipeEventDelivered::<P>,
            EventPipeProviderCreated: EventPipeProviderCreated::<P>,
        },
        LoadAsNotificationOnly: LoadAsNotificationOnly::<P>,
    }
}
