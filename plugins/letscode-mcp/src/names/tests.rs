//! Names by table and by property.

use super::*;
use proptest::prelude::*;
use std::collections::BTreeSet;

fn wanted(server: &str, tool: &str) -> Wanted {
    Wanted { server: server.into(), prefix: format!("mcp_{server}_"), tool: tool.into() }
}

#[test]
fn names_are_made_of_what_providers_take() {
    let cases = [
        ("fs", "read_file", "mcp_fs_read_file"),
        ("a.b", "x/y z", "mcp_a_b_x_y_z"),
        ("fs", "größe", "mcp_fs_gr__e"),
    ];
    for (server, tool, expected) in cases {
        assert_eq!(legal_names(&[wanted(server, tool)]), [expected]);
    }
    let bare = Wanted { server: "s".into(), prefix: String::new(), tool: "3d".into() };
    assert_eq!(legal_names(&[bare]), ["_3d"]);
}

#[test]
fn names_that_collide_get_a_hash_that_stays_whatever_the_order() {
    let (a, b) = (wanted("s", "x.y"), wanted("s", "x/y"));
    let names = legal_names(&[a.clone(), b.clone()]);
    let turned = legal_names(&[b, a]);
    assert_eq!(names[0], turned[1]);
    assert_eq!(names[1], turned[0]);
    assert_ne!(names[0], names[1]);
    assert!(names[0].starts_with("mcp_s_x_y_"), "{names:?}");
    insta::assert_debug_snapshot!(names, @r#"
    [
        "mcp_s_x_y_8618a32d",
        "mcp_s_x_y_57b16677",
    ]
    "#);
}

#[test]
fn a_long_name_is_cut_and_keeps_the_same_hash() {
    let name = legal_names(&[wanted("s", &"x".repeat(200))]).remove(0);
    assert_eq!(name.len(), LONGEST);
    let again = |length| legal_names(&[wanted("s", &"x".repeat(length))]).remove(0);
    assert_eq!(again(200), name);
    assert_ne!(again(201), name);
}

#[test]
fn commands_have_no_white_space() {
    assert_eq!(command_name("docs", "a b\tc"), "docs:a_b_c");
}

proptest! {
    #[test]
    fn names_are_always_legal_and_unique(
        tools in proptest::collection::btree_set(("[a-b]{1,2}", ".{0,80}"), 1..12),
    ) {
        let wanted: Vec<Wanted> = tools.iter().map(|(s, t)| wanted(s, t)).collect();
        let names = legal_names(&wanted);
        for name in &names {
            prop_assert!(name.len() <= LONGEST);
            prop_assert!(name.chars().all(|c| c.is_ascii_alphanumeric() || "_-".contains(c)));
        }
        prop_assert_eq!(names.iter().collect::<BTreeSet<_>>().len(), names.len());
    }
}
