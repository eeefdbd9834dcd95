//! Requests however their bytes arrive, and what is no request.

use super::*;
use proptest::prelude::*;
use tokio::io::AsyncWriteExt as _;
use tokio::runtime::Builder;

/// Reads requests from `bytes` until the end, through a pipe that holds `capacity` bytes.
fn read_all(bytes: &[u8], capacity: usize) -> io::Result<Vec<(RequestHead, Vec<u8>)>> {
    let runtime = Builder::new_current_thread().build().unwrap();
    runtime.block_on(async {
        let (mut near, mut far) = tokio::io::duplex(capacity);
        let write = async move {
            // The reader gives up early where the bytes make no sense.
            let _ = near.write_all(bytes).await;
        };
        let read = async move {
            let (mut buffer, mut requests) = (Vec::new(), Vec::new());
            while let Some(head) = read_head(&mut far, &mut buffer).await? {
                let body = read_body(&mut far, &mut buffer, &head).await?;
                requests.push((head, body));
            }
            Ok(requests)
        };
        tokio::join!(write, read).1
    })
}

fn request(body: &[u8], chunks: Option<usize>) -> Vec<u8> {
    let mut bytes = b"POST /v1/x?y=1 HTTP/1.1\r\nHost: a:1\r\n".to_vec();
    match chunks {
        None => {
            bytes.extend(format!("Content-Length: {}\r\n\r\n", body.len()).into_bytes());
            bytes.extend_from_slice(body);
        }
        Some(size) => {
            bytes.extend_from_slice(b"Transfer-Encoding: chunked\r\n\r\n");
            body.chunks(size).for_each(|chunk| push_chunk(&mut bytes, chunk));
            bytes.extend_from_slice(LAST_CHUNK);
        }
    }
    bytes
}

proptest! {
    #[test]
    fn any_cut_of_the_bytes_gives_the_same_requests(
        bodies in proptest::collection::vec(
            (proptest::collection::vec(any::<u8>(), 0..80), proptest::option::of(1_usize..20)),
            0..4,
        ),
        capacity in 1_usize..200,
    ) {
        let bytes: Vec<u8> =
            bodies.iter().flat_map(|(body, chunks)| request(body, *chunks)).collect();
        let got = read_all(&bytes, capacity).unwrap();
        prop_assert_eq!(got.len(), bodies.len());
        for ((head, body), (expected, _)) in got.iter().zip(&bodies) {
            prop_assert_eq!(&head.method, "POST");
            prop_assert_eq!(&head.target, "/v1/x?y=1");
            prop_assert_eq!(head.header("host"), Some("a:1"));
            prop_assert_eq!(body, expected);
        }
    }

    #[test]
    fn a_request_that_is_cut_off_is_an_error(
        body in proptest::collection::vec(any::<u8>(), 1..40),
        chunks in proptest::option::of(1_usize..20),
        at in any::<proptest::sample::Index>(),
    ) {
        let bytes = request(&body, chunks);
        let cut = 1 + at.index(bytes.len() - 1);
        let error = read_all(&bytes[..cut], 64).unwrap_err();
        prop_assert_eq!(error.kind(), io::ErrorKind::UnexpectedEof);
    }
}

#[test]
fn chunk_extensions_and_trailers_are_skipped() {
    let bytes = b"POST / HTTP/1.1\r\ntransfer-encoding: Chunked\r\n\r\n\
                  3;a=b\r\nabc\r\n0\r\nx-trailer: 1\r\n\r\nGET /next HTTP/1.1\r\n\r\n";
    let got = read_all(bytes, 7).unwrap();
    let got: Vec<_> = got.iter().map(|(head, body)| (&*head.target, &**body)).collect();
    assert_eq!(got, [("/", &b"abc"[..]), ("/next", b"")]);
}

#[test]
fn what_is_no_http_is_an_error() {
    for bytes in [
        "GET /\r\n\r\n",
        "GET / HTTP/1.1 x\r\n\r\n",
        "GET / HTTP/2\r\n\r\n",
        "GET / HTTP/1.1\r\nno colon\r\n\r\n",
        "GET / HTTP/1.1\r\ncontent-length: x\r\n\r\n",
        "GET / HTTP/1.1\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n",
        "GET / HTTP/1.1\r\ntransfer-encoding: chunked\r\n\r\n1\r\nab\r\n",
    ] {
        let error = read_all(bytes.as_bytes(), 64).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::InvalidData, "{bytes:?}");
    }
}
