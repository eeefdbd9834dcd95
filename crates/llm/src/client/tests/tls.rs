//! Private certificates. The server runs in its own thread, on blocking sockets.

use super::*;
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};
use std::io::{Read, Write};
use std::net::TcpListener;
use std::path::Path;

/// An authority that nobody knows, and a certificate for this machine by it.
struct Authority {
    pem: String,
    server: Arc<rustls::ServerConfig>,
}

fn authority() -> Authority {
    let mut params = CertificateParams::new(Vec::new()).unwrap();
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let issuer = CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap();
    let key = KeyPair::generate().unwrap();
    let names = vec!["localhost".to_owned(), "127.0.0.1".to_owned()];
    let certificate = CertificateParams::new(names).unwrap().signed_by(&key, &issuer).unwrap();
    let key = PrivateKeyDer::from(PrivatePkcs8KeyDer::from(key.serialize_der()));
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let server = rustls::ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![certificate.der().clone()], key)
        .unwrap();
    Authority { pem: issuer.pem(), server: Arc::new(server) }
}

/// Serves `connections` connections, as far as they come to a request, and returns the base URL.
fn serve(authority: &Authority, connections: usize) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let base = format!("https://127.0.0.1:{}/v1", listener.local_addr().unwrap().port());
    let config = Arc::clone(&authority.server);
    std::thread::spawn(move || {
        for stream in listener.incoming().take(connections) {
            let connection = rustls::ServerConnection::new(Arc::clone(&config)).unwrap();
            let mut stream = rustls::StreamOwned::new(connection, stream.unwrap());
            // A client that does not trust us is gone by now.
            if matches!(stream.read(&mut [0; 65536]), Ok(1..)) {
                let body = format!("data: {}\n\ndata: {}\n\n", chunk("safe"), finish());
                let head = "HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: ";
                let _ = write!(stream, "{head}{}\r\n\r\n{body}", body.len());
                stream.conn.send_close_notify();
                let _ = stream.flush();
            }
        }
    });
    base
}

fn tls_client(base: &str, extra_roots: Option<&Path>) -> Client {
    let mut config = config(base);
    config.extra_roots = extra_roots.map(Path::to_owned);
    Client::new(config).unwrap()
}

#[tokio::test]
async fn w50_an_unknown_authority_is_refused_with_a_hint() {
    let base = serve(&authority(), 2);
    let outcome = run(&tls_client(&base, None)).await;
    let (kind, message) = outcome.error();
    assert_eq!(kind, ModelErrorKind::Tls);
    assert!(message.contains("certificate is not trusted"), "{message}");
    assert!(message.contains("SSL_CERT_FILE") && message.contains(&base), "{message}");
    assert!(outcome.retries().is_empty());
}

#[tokio::test]
async fn w50_an_authority_in_the_users_file_is_trusted() {
    let authority = authority();
    let base = serve(&authority, 2);
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("ca.pem");
    std::fs::write(&file, format!("Some words\n{}{}", authority.pem, self::authority().pem))
        .unwrap();
    let client = tls_client(&base, Some(&file));
    assert_eq!(run(&client).await.text(), "safe");
    assert_eq!(run(&client).await.text(), "safe");
}

#[tokio::test]
async fn w50_an_unusable_file_is_named_when_it_matters() {
    let folder = tempfile::tempdir().unwrap();
    let missing = folder.path().join("missing.pem");
    let empty = folder.path().join("empty.pem");
    std::fs::write(&empty, "no certificate").unwrap();
    for file in [missing, empty] {
        let base = serve(&authority(), 2);
        let outcome = run(&tls_client(&base, Some(&file))).await;
        assert_eq!(outcome.error().0, ModelErrorKind::Tls);
        assert!(outcome.error().1.contains(file.to_str().unwrap()), "{outcome:?}");
    }
    #[cfg(unix)]
    {
        let fifo = folder.path().join("fifo");
        let made = std::process::Command::new("mkfifo").arg(&fifo).status().unwrap();
        assert!(made.success());
        let huge = folder.path().join("huge.pem");
        let mut text = authority().pem;
        text.push_str(&"\n".repeat(8 << 20));
        std::fs::write(&huge, text).unwrap();
        let device = Path::new("/dev/zero").to_owned();
        for (file, reason) in [
            (fifo, "not a regular file"),
            (device, "not a regular file"),
            (folder.path().to_owned(), "not a regular file"),
            (huge, "larger than 8 MiB"),
        ] {
            let base = serve(&authority(), 2);
            let outcome = run(&tls_client(&base, Some(&file))).await;
            assert_eq!(outcome.error().0, ModelErrorKind::Tls);
            let named = format!("cannot read {}: it is {reason}", file.display());
            assert!(outcome.error().1.contains(&named), "{outcome:?}");
        }
    }
    let server = Server::start([Reply::word("hi")]).await;
    let client = client_with(&server, |config| config.extra_roots = Some(folder.path().into()));
    assert_eq!(run(&client).await.text(), "hi", "http:// needs no certificates");
}

#[tokio::test]
async fn w50_a_server_without_tls_is_told_apart() {
    let server = Server::start([]).await;
    let base = server.base().replace("http:", "https:");
    // A server that does not understand us says something in clear text.
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let plain = format!("https://{}/v1", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let _ = stream.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n");
        let _ = stream.read(&mut [0; 1024]);
    });
    let outcome = run(&tls_client(&plain, None)).await;
    assert_eq!(outcome.error().0, ModelErrorKind::Tls);
    assert!(outcome.error().1.contains("does not speak TLS"), "{outcome:?}");
    drop(base);
}
