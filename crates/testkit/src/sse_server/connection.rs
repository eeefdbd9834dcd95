//! One connection: requests in, scripted answers out, faults on purpose.
//!
//! Owns the pace of an answer (delays, pauses, breaks) and notices when the client leaves. Must
//! not choose answers: [`Shared`] does.

use super::answer::{Answer, Content, EventStream, Fault};
use super::{Reply, Request, Shared, http};
use std::io;
use tokio::io::{AsyncWrite, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::time::{Duration, sleep};

/// How the connection goes on after an answer.
enum Next {
    /// The next request may come.
    KeepAlive,
    /// The server closes it.
    Close,
    /// The server resets it.
    Reset,
}

/// Serves a connection to its end. A broken one is the client's affair, so errors end it quietly;
/// a request that is no HTTP is a violation.
pub(super) async fn serve(mut stream: TcpStream, shared: &Shared) {
    if let Err(error) = serve_requests(&mut stream, shared).await
        && error.kind() == io::ErrorKind::InvalidData
    {
        shared.violation(format!("a request is no valid HTTP: {error}"));
    }
}

async fn serve_requests(stream: &mut TcpStream, shared: &Shared) -> io::Result<()> {
    let mut buffer = Vec::new();
    while let Some(head) = http::read_head(stream, &mut buffer).await? {
        if head.says("expect", "100-continue") {
            stream.write_all(b"HTTP/1.1 100 Continue\r\n\r\n").await?;
        }
        let body = http::read_body(stream, &mut buffer, &head).await?;
        let last = head.says("connection", "close");
        let request =
            Request { method: head.method, target: head.target, headers: head.headers, body };
        let reply = shared.receive(request);
        let (mut input, mut output) = stream.split();
        let next = tokio::select! {
            biased;
            next = send(&mut output, &reply, shared) => next,
            () = http::closed(&mut input, &mut buffer) => Err(io::ErrorKind::ConnectionReset.into()),
        };
        match next {
            Ok(Next::KeepAlive) if last => return Ok(()),
            Ok(Next::KeepAlive) => {}
            Ok(Next::Close) => return Ok(()),
            Ok(Next::Reset) => {
                // A reset may overtake bytes that the client has not read yet.
                sleep(Duration::from_millis(20)).await;
                return stream.set_zero_linger();
            }
            Err(error) => {
                shared.abandoned();
                return Err(error);
            }
        }
    }
    Ok(())
}

async fn send(
    output: &mut (impl AsyncWrite + Unpin),
    reply: &Reply,
    shared: &Shared,
) -> io::Result<Next> {
    match reply {
        Reply::Scripted(answer) => send_answer(output, answer, shared).await,
        Reply::Fixed(bytes) => {
            output.write_all(bytes).await?;
            Ok(Next::KeepAlive)
        }
    }
}

async fn send_answer(
    output: &mut (impl AsyncWrite + Unpin),
    answer: &Answer,
    shared: &Shared,
) -> io::Result<Next> {
    if !answer.first_delay.is_zero() {
        sleep(answer.first_delay).await;
    }
    match &answer.content {
        Content::Raw { bytes, keep_open } => {
            output.write_all(bytes).await?;
            Ok(if *keep_open { Next::KeepAlive } else { Next::Close })
        }
        Content::Plain(bytes) => {
            output.write_all(bytes).await?;
            Ok(Next::KeepAlive)
        }
        Content::Stream(stream) => send_stream(output, stream, shared).await,
    }
}

async fn send_stream(
    output: &mut (impl AsyncWrite + Unpin),
    stream: &EventStream,
    shared: &Shared,
) -> io::Result<Next> {
    output.write_all(&stream.head).await?;
    if stream.delay.is_zero() && stream.pause_after.is_none() && stream.fault.is_none() {
        output.write_all(&stream.body).await?;
        output.write_all(http::LAST_CHUNK).await?;
        return Ok(Next::KeepAlive);
    }
    let mut start = 0;
    // One step more than there are events: what is due after the last one happens too.
    for (sent, end) in stream.ends.iter().map(Some).chain([None]).enumerate() {
        if stream.pause_after == Some(sent) {
            shared.wait_for_resume().await;
        }
        match stream.fault {
            Some((after, Fault::Close)) if after == sent => return Ok(Next::Close),
            Some((after, Fault::Reset)) if after == sent => return Ok(Next::Reset),
            Some((after, Fault::Hang)) if after == sent => std::future::pending().await,
            Some(_) | None => {}
        }
        let Some(&end) = end else { break };
        if sent > 0 && !stream.delay.is_zero() {
            sleep(stream.delay).await;
        }
        output.write_all(stream.body.get(start..end).unwrap_or_default()).await?;
        start = end;
    }
    output.write_all(http::LAST_CHUNK).await?;
    Ok(Next::KeepAlive)
}
