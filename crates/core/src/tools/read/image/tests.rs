//! Tests of recognising images.

use super::*;
use crate::tools::read::tests::samples;

#[test]
fn a22_whole_pictures_are_told_by_their_bytes() {
    for (kind, bytes) in samples() {
        assert_eq!(ImageKind::of(&bytes), Some(kind));
        assert!(kind.is_whole(&bytes), "{kind:?}");
        assert_eq!(ImageKind::of(&bytes[1..]), None);
    }
    assert_eq!(ImageKind::of(b"GIF8"), None);
    assert_eq!(ImageKind::of(b""), None);
}

#[test]
fn a22_a_picture_cut_anywhere_is_not_whole() {
    for (kind, bytes) in samples() {
        for length in 0..bytes.len() {
            assert!(!kind.is_whole(&bytes[..length]), "{kind:?} cut to {length}");
        }
    }
}

#[test]
fn a22_broken_structures_are_not_whole() {
    for (kind, bytes) in samples() {
        let zeroed = [&bytes[..12], &vec![0; bytes.len() - 12][..]].concat();
        assert!(!kind.is_whole(&zeroed), "{kind:?}");
    }
    let (_, mut png) = samples().remove(0);
    let middle = png.len() / 2;
    png[middle] ^= 1;
    assert!(!ImageKind::Png.is_whole(&png), "a flipped bit breaks the checksum");
}

#[test]
fn a22_what_follows_a_picture_does_no_harm() {
    for (kind, bytes) in samples() {
        assert!(kind.is_whole(&[&bytes[..], b"\0\0"].concat()), "{kind:?}");
    }
}
