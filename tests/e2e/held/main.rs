//! `corprof run TOOL -- program` holds what the tool measures: it is there however the program ends, and of the process that is meant.
#![cfg(unix)]

mod ends;
mod own;
mod processes;
mod running;
mod sdk;

use e2e::on_each_runtime;

on_each_runtime! {
    every_end_of_a_program on [on_9_0 on_10_0 on_11_0] long [on_3_1 on_8_0]: ends::every_end_has_a_report;
    every_tool on [on_9_0 on_11_0] long [on_3_1 on_8_0 on_10_0]: ends::every_tool_has_a_report_of_a_kill;
    signals on [on_9_0 on_11_0]: ends::signals_end_the_program_and_the_report_stays;
    a_program_that_goes_on on [on_9_0]: ends::a_program_that_goes_on_after_an_interrupt;
    a_killed_client on [on_9_0]: ends::a_killed_client_leaves_the_program_alone;
    wrong_settings on [on_9_0]: ends::wrong_settings_do_not_harm_the_program;
    the_program_is_measured_and_not_its_children on [on_9_0]: processes::children_are_silent;
    processes_are_chosen on [on_9_0]: processes::a_pattern_chooses;
    programs_of_a_script on [on_9_0]: processes::programs_of_a_script_are_numbered;
}

macro_rules! with_the_sdk {
    ($($(#[$meta:meta])* $name:ident: $check:path;)*) => { $(
        #[test]
        #[cfg_attr(not(dotnet_sdk), ignore = "no folder with an SDK: name one in CORPROF_DOTNET_ARCHIVES, see CONTRIBUTING.md")]
        $(#[$meta])*
        fn $name() -> anyhow::Result<()> {
            $check()
        }
    )* };
}

with_the_sdk! {
    own_code: own::own_code_is_what_the_user_has_written;
    builds: sdk::builds_are_left_alone;
    dotnet_run: sdk::a_program_that_the_sdk_runs;
    #[cfg_attr(dotnet_sdk, ignore = "takes minutes: cargo xtask test --long")]
    dotnet_test: sdk::tests_are_measured;
}
