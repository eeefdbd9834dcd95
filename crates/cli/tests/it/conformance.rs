//! The conformance cases, one test each.
//!
//! Owns the list of cases. What a case means is in `letscode_testkit::conformance`; the cases are
//! in `conformance/cases`.

use letscode_testkit::conformance::{Case, run_case};
use std::path::{Path, PathBuf};
use std::sync::{Condvar, Mutex};

/// How many cases run at the same time. Some measure time, so they must not crowd each other out.
static FREE_PLACES: (Mutex<u32>, Condvar) = (Mutex::new(2), Condvar::new());

macro_rules! cases {
    ($($name:ident,)*) => {
        $(
            #[test]
            fn $name() {
                check(stringify!($name));
            }
        )*

        const CASES: &[&str] = &[$(stringify!($name)),*];
    };
}

cases! {
    ambient_base_url,
    catalog_routing,
    cli_init_version,
    cli_no_tools,
    cli_sigint,
    config_layers,
    print_basic,
    print_errors,
    print_inputs,
    print_stdin_is_data,
    print_stdin,
    rpc_abort_mid_stream,
    rpc_abort_mid_tool,
    rpc_bad_lines,
    rpc_busy_and_steer,
    rpc_completion_order,
    rpc_delta_updates,
    rpc_eof_drains,
    rpc_expand,
    rpc_expand_abort,
    rpc_expand_queued,
    rpc_files,
    rpc_handshake_and_bye,
    rpc_history,
    rpc_hello_major_mismatch,
    rpc_idle_steer_and_images,
    rpc_one_prompt,
    rpc_provider_error,
    rpc_reset,
    rpc_retry_then_ok,
    rpc_shutdown_grace,
    rpc_thinking,
    rpc_tool_round_trip,
    session_all_projects,
    session_compact_continue,
    session_continue,
    skills_and_context,
    thinking_rounds_down,
    tool_bad_calls,
    tool_bash,
    tool_big_output,
    tool_edit_crlf_bom,
    tool_edit_failures,
    tool_write_and_edit,
    cli_flags_on_the_wire,
    config_trust,
    rpc_message_refused,
    rpc_no_key,
    rpc_signals,
    session_resume,
    tool_read_parts_and_picture,
    tool_same_file_order,
    rpc_reload,
    rpc_trust,
}

#[test]
fn no_case_is_forgotten() {
    let files = cases_dir().read_dir().unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<String> =
        files.map(|path| path.file_name().unwrap().to_str().unwrap().replace('-', "_")).collect();
    files.sort_unstable();
    let mut listed: Vec<String> = CASES.iter().map(|name| format!("{name}.json")).collect();
    listed.sort_unstable();
    assert_eq!(files, listed);
}

#[track_caller]
fn check(test: &str) {
    let name = test.replace('_', "-");
    let case = Case::load(&cases_dir().join(format!("{name}.json"))).unwrap();
    let place = Place::take();
    let problems = run_case(&case, Path::new(env!("CARGO_BIN_EXE_letscode")));
    drop(place);
    assert!(problems.is_empty(), "{name} does not hold:\n{}", problems.join("\n"));
}

/// A place among those that may run; dropping it frees it.
struct Place;

impl Place {
    fn take() -> Self {
        let (places, freed) = &FREE_PLACES;
        let places = places.lock().unwrap();
        *freed.wait_while(places, |places| *places == 0).unwrap() -= 1;
        Self
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let (places, freed) = &FREE_PLACES;
        *places.lock().unwrap() += 1;
        freed.notify_one();
    }
}

fn cases_dir() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../conformance/cases")
}
