//! A server over HTTPS, with certificates that nobody else knows, and servers that send elsewhere.

use super::http::Served;
use super::*;
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use std::io::{BufRead as _, BufReader, ErrorKind, Read as _, Write as _};
use std::net::TcpListener;
use tempfile::TempDir;

/// An authority that nobody knows.
struct Authority {
    folder: TempDir,
    issuer: CertifiedIssuer<'static, KeyPair>,
}

impl Authority {
    fn new() -> Self {
        let mut params = CertificateParams::new(Vec::new()).unwrap();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let issuer = CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap();
        Self { folder: tempfile::tempdir().unwrap(), issuer }
    }

    /// Returns the path of a file with its own certificate.
    fn file(&self) -> String {
        self.write("authority.pem", &self.issuer.pem())
    }

    /// Starts a server with a certificate for `name`.
    fn serve(&self, name: &str) -> Served {
        let key = KeyPair::generate().unwrap();
        let params = CertificateParams::new(vec![name.to_owned()]).unwrap();
        let certificate = params.signed_by(&key, &self.issuer).unwrap();
        let pem =
            self.write("server.pem", &format!("{}{}", certificate.pem(), key.serialize_pem()));
        Served::start_with("https", &["--pem", &pem])
    }

    #[expect(clippy::disallowed_methods, reason = "the server reads a real file")]
    fn write(&self, name: &str, text: &str) -> String {
        let path = self.folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    }
}

fn table(url: &str) -> Value {
    json!({"s": {"url": url, "headers": {"Authorization": "Bearer $TOKEN"}}})
}

fn listing(url: &str, variables: &[(&str, &str)]) -> String {
    Stage::start_with(table(url), Value::Null, variables).command("mcp", "")
}

#[test]
fn an_authority_in_the_users_file_is_trusted_and_gets_the_headers() {
    let authority = Authority::new();
    let served = authority.serve("127.0.0.1");
    let variables = [("SSL_CERT_FILE", authority.file())];
    let variables = variables.each_ref().map(|(name, value)| (*name, value.as_str()));
    let stage = Stage::start_with(table(&served.url), Value::Null, &variables);
    assert_eq!(stage.text("mcp_s_echo", json!({"text": "hi"})), "hi");
}

#[test]
fn an_unknown_authority_is_one_line_with_what_to_do() {
    let authority = Authority::new();
    let served = authority.serve("127.0.0.1");
    let listing = listing(&served.url, &[]);
    let expected = "s: left out: the server's certificate is not trusted: ";
    assert!(listing.starts_with(expected) && listing.contains("SSL_CERT_FILE"), "{listing}");
    assert_eq!(listing.lines().count(), 1, "{listing}");
}

#[test]
fn a_certificate_for_another_host_is_refused() {
    let authority = Authority::new();
    let served = authority.serve("elsewhere.example");
    let listing = listing(&served.url, &[("SSL_CERT_FILE", &authority.file())]);
    let expected = "s: left out: the server's certificate is not trusted: ";
    assert!(listing.starts_with(expected), "{listing}");
}

#[test]
fn an_unusable_file_of_the_users_is_named() {
    let authority = Authority::new();
    let served = authority.serve("127.0.0.1");
    let listing = listing(&served.url, &[("SSL_CERT_FILE", "/nowhere/at-all.pem")]);
    assert!(listing.contains("cannot read /nowhere/at-all.pem"), "{listing}");
}

#[test]
fn a_server_without_tls_is_told_apart() {
    let served = Served::start();
    let listing = listing(&served.url.replace("http:", "https:"), &[]);
    assert!(listing.starts_with("s: left out: the server does not speak TLS: "), "{listing}");
    assert!(listing.contains("write http:// in the url"), "{listing}");
}

/// Answers every request with a redirect to `target`, and returns its own address.
fn redirecting(target: String) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/mcp", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = BufReader::new(stream.unwrap());
            let mut length = 0;
            let mut line = String::new();
            while stream.read_line(&mut line).is_ok_and(|read| read > 2) {
                let header = line.to_ascii_lowercase();
                if let Some(value) = header.strip_prefix("content-length:") {
                    length = value.trim().parse().unwrap();
                }
                line.clear();
            }
            let mut body = vec![0; length];
            drop(stream.read_exact(&mut body));
            let head = "HTTP/1.1 307 Elsewhere\r\ncontent-length: 0\r\nconnection: close";
            drop(write!(stream.get_mut(), "{head}\r\nlocation: {target}\r\n\r\n"));
        }
    });
    url
}

#[test]
fn a_redirect_to_another_host_gets_neither_headers_nor_anything_else() {
    let stranger = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = redirecting(format!("http://{}/mcp", stranger.local_addr().unwrap()));
    let listing = listing(&url, &[]);
    let expected = "s: left out: it sends elsewhere (HTTP 307 Temporary Redirect)";
    assert!(listing.starts_with(expected), "{listing}");
    stranger.set_nonblocking(true).unwrap();
    assert_eq!(stranger.accept().unwrap_err().kind(), ErrorKind::WouldBlock, "it was asked");
}

#[test]
fn this_machine_is_reached_without_a_proxy() {
    let served = Served::start();
    let proxy = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", proxy.local_addr().unwrap());
    let stage = Stage::start_with(table(&served.url), Value::Null, &[("HTTP_PROXY", &address)]);
    assert_eq!(stage.text("mcp_s_echo", json!({"text": "hi"})), "hi");
    proxy.set_nonblocking(true).unwrap();
    assert_eq!(proxy.accept().unwrap_err().kind(), ErrorKind::WouldBlock, "it was asked");
}
