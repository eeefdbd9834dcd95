//! Tests of recognising a server.

use super::*;

#[test]
fn hosts_match_their_domain_and_below_only() {
    assert_eq!(lookup("api.deepseek.com", "m").reasoning_back, ReasoningBack::Required);
    assert_eq!(lookup("API.Mistral.AI", "m").call_ids, CallIdRule::NineAlphanumeric);
    assert_eq!(lookup("z.ai", "m").reasoning_back, ReasoningBack::Text("reasoning_content"));
    for host in ["xz.ai", "mistral.ai.example.com", "127.0.0.1", "", "notapi.openai.com.evil"] {
        assert_eq!(lookup(host, "m"), UNKNOWN, "{host}");
    }
}

#[test]
fn w56_w57_mistral_models_by_name_keep_what_their_host_wants() {
    let local = lookup("127.0.0.1", "Mistral-Small-3.2");
    assert!(local.stream_options && local.strict_roles && !local.known_host);
    assert_eq!(local.call_ids, CallIdRule::NineAlphanumeric);
    let routed = lookup("openrouter.ai", "mistralai/devstral-medium");
    assert_eq!(routed.reasoning_back, ReasoningBack::Details);
    assert!(routed.strict_roles);
    let native = lookup("api.mistral.ai", "labs-x");
    assert!(native.strict_roles && !native.stream_options);
}

#[test]
fn w58_gemini_models_by_name_get_the_small_schema() {
    assert_eq!(lookup("openrouter.ai", "google/gemini-2.5-pro").schema, SchemaRule::Gemini);
    assert_eq!(lookup("openrouter.ai", "gpt-4o").schema, SchemaRule::Full);
}
