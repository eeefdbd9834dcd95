//! Tests of reading the event stream.

use super::*;
use proptest::prelude::*;

type Event = (String, String);

/// Pushes the pieces one by one, pulling all events after each, and returns name and data of all.
fn decode_pieces<'p>(pieces: impl IntoIterator<Item = &'p [u8]>) -> Vec<Event> {
    let mut decoder = SseDecoder::new(DEFAULT_EVENT_CAP);
    let mut events = Vec::new();
    for piece in pieces {
        decoder.push(piece);
        while let Some(event) = decoder.next_event() {
            events.push(owned(event.unwrap()));
        }
    }
    events.extend(decoder.finish().map(owned));
    events
}

fn decode(bytes: &[u8]) -> Vec<Event> {
    decode_pieces([bytes])
}

fn owned(event: SseEvent<'_>) -> Event {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (text(event.name), text(event.data))
}

fn unnamed(data: &[&str]) -> Vec<Event> {
    data.iter().map(|data| (String::new(), (*data).to_owned())).collect()
}

#[test]
fn w43_comments_are_no_events() {
    let stream = b":\n:ping\n\n: OPENROUTER PROCESSING\n\ndata: a\n\n:\n\ndata: b\n: inside\n\n";
    assert_eq!(decode(stream), unnamed(&["a", "b"]));
}

#[test]
fn w44_all_line_ends() {
    for end in ["\n", "\r\n", "\r"] {
        let stream = ["data: a", "", "data: b", "data: c", "", ": x", "data: [DONE]", "", ""];
        let stream = stream.join(end);
        assert_eq!(decode(stream.as_bytes()), unnamed(&["a", "b\nc", "[DONE]"]), "{end:?}");
    }
}

#[test]
fn w44_carriage_return_at_the_end_of_a_read() {
    let pieces: [&[u8]; 4] = [b"data: a\r\n\r", b"\ndata: b\r", b"\n\r\ndata: c\r", b"\r"];
    assert_eq!(decode_pieces(pieces), unnamed(&["a", "b", "c"]));
}

#[test]
fn w44_event_is_given_at_its_carriage_return() {
    let mut decoder = SseDecoder::new(100);
    decoder.push(b"data: a\r\r");
    let event = decoder.next_event().unwrap().unwrap();
    assert_eq!(event.data, b"a");
    assert_eq!(decoder.next_event(), None);
}

#[test]
fn w44_mixed_line_ends() {
    let stream = b"data: a\r\ndata: b\rdata: c\n\rdata: d\r\n\ndata: e\n\r\n";
    assert_eq!(decode(stream), unnamed(&["a\nb\nc", "d", "e"]));
}

#[test]
fn w39_event_names() {
    let stream =
        b"event: error\ndata: {}\n\nevent:ping\n\nevent\ndata: x\n\nevent: a\nevent: b\ndata\n\n";
    let expected =
        [("error", "{}"), ("ping", ""), ("", "x"), ("b", "")].map(|(a, b)| (a.into(), b.into()));
    assert_eq!(decode(stream), expected);
}

#[test]
fn data_lines_are_joined_and_lose_one_space() {
    let stream = b"data:a\ndata:  b\ndata\ndata: c:d\nid: 7\nretry: 10\nx: y\n\n";
    assert_eq!(decode(stream), unnamed(&["a\n b\n\nc:d"]));
}

#[test]
fn byte_order_mark_at_the_start_only() {
    assert_eq!(decode(b"\xEF\xBB\xBFdata: a\n\n"), unnamed(&["a"]));
    assert_eq!(decode(b"data: a\n\n\xEF\xBB\xBFdata: b\n\n"), unnamed(&["a"]));
    assert_eq!(decode(b"\xEF\xBB\xBF\n\ndata: b\n\n"), unnamed(&["b"]));
    assert_eq!(decode(b"\xEF\xBB\xBFdata: a"), unnamed(&["a"]));
}

#[test]
fn last_event_without_blank_line() {
    assert_eq!(decode(b"data: a\n\ndata: b\ndata: c"), unnamed(&["a", "b\nc"]));
    assert_eq!(decode(b"data: a\r"), unnamed(&["a"]));
    assert_eq!(decode(b"data: a\n\n: x"), unnamed(&["a"]));
    assert_eq!(decode(b""), unnamed(&[]));
}

#[test]
fn event_over_the_cap_fails_once() {
    let too_long = Some(Err(SseError::EventTooLong { cap: 16 }));
    let streams: [&[u8]; 3] = [
        b"data: 0123456789abcdef",
        b"data: 0123456789\ndata: 0123456789\n\n",
        b": 0123456789abcdef",
    ];
    for stream in streams {
        let mut decoder = SseDecoder::new(16);
        decoder.push(b"data: ok\n\n");
        assert_eq!(decoder.next_event().unwrap().unwrap().data, b"ok");
        decoder.push(stream);
        assert_eq!(decoder.next_event(), too_long);
        decoder.push(b"\n\ndata: x\n\n");
        assert_eq!(decoder.next_event(), None);
        assert_eq!(decoder.finish(), None);
    }
}

#[test]
fn cap_counts_one_event_only() {
    let mut decoder = SseDecoder::new(16);
    for _ in 0..100 {
        decoder.push(b"data: 0123456789\n\n");
        assert_eq!(decoder.next_event().unwrap().unwrap().data, b"0123456789");
        assert_eq!(decoder.next_event(), None);
    }
}

#[test]
fn open_line_is_searched_once() {
    let mut decoder = SseDecoder::new(DEFAULT_EVENT_CAP);
    decoder.push(b"data: ");
    for _ in 0..20_000 {
        decoder.push(&[b'x'; 64]);
        assert_eq!(decoder.next_event(), None);
        assert_eq!(decoder.searched, decoder.buffer.len());
    }
    decoder.push(b"\n\n");
    assert_eq!(decoder.next_event().unwrap().unwrap().data.len(), 20_000 * 64);
}

#[test]
fn taken_bytes_are_let_go() {
    let mut decoder = SseDecoder::new(DEFAULT_EVENT_CAP);
    for _ in 0..1000 {
        decoder.push(&b"data: 0123456789\n\n".repeat(10));
        while decoder.next_event().is_some() {}
        assert!(decoder.buffer.capacity() < 10_000);
    }
}

/// What the specification of event streams says, in the plainest way: whole input, line by line.
fn reference(bytes: &[u8]) -> Vec<Event> {
    let text = String::from_utf8_lossy(bytes).replace("\r\n", "\n").replace('\r', "\n");
    let text = text.strip_prefix('\u{FEFF}').unwrap_or(&text);
    let mut events = Vec::new();
    let (mut name, mut data) = (String::new(), Vec::new());
    for line in text.split('\n').chain([""]) {
        if line.is_empty() {
            if !data.is_empty() || !name.is_empty() {
                events.push((std::mem::take(&mut name), std::mem::take(&mut data).join("\n")));
            }
            continue;
        }
        let (field, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "data" => data.push(value.to_owned()),
            "event" => value.clone_into(&mut name),
            _ => {}
        }
    }
    events
}

fn any_stream() -> impl Strategy<Value = Vec<u8>> {
    let token = prop::sample::select(vec![
        "data", "event", "data: ", ":", " ", "\n", "\r", "\r\n", "\n\n", "x", "é", "🙂", "\u{FEFF}",
    ]);
    prop::collection::vec(token, 0..40).prop_map(|tokens| tokens.concat().into_bytes())
}

proptest! {
    #[test]
    fn any_bytes_at_any_split_are_what_the_specification_says(
        stream in any_stream(),
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..8),
    ) {
        let expected = reference(&stream);
        prop_assert_eq!(&decode(&stream), &expected);
        prop_assert_eq!(&decode_pieces(stream.chunks(1)), &expected);
        let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut.index(stream.len() + 1)).collect();
        cuts.extend([0, stream.len()]);
        cuts.sort_unstable();
        let pieces = cuts.windows(2).map(|cut| &stream[cut[0]..cut[1]]);
        prop_assert_eq!(&decode_pieces(pieces), &expected);
    }
}
