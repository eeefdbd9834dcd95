//! Model servers that may run on this machine.
//!
//! Owns the ports that the well-known ones listen on by default, and the quick look at them.
//! Must not send a byte: whoever listens there is only connected to.

use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::thread;
use std::time::Duration;

/// How long a connection to this machine may take.
const PATIENCE: Duration = Duration::from_millis(200);

/// A well-known model server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct LocalServer {
    /// Its name.
    pub(crate) name: &'static str,
    /// The port that it listens on unless told otherwise.
    pub(crate) port: u16,
}

/// The well-known model servers.
pub(crate) const LOCAL_SERVERS: [LocalServer; 4] = [
    LocalServer { name: "Ollama", port: 11434 },
    LocalServer { name: "LM Studio", port: 1234 },
    LocalServer { name: "llama.cpp", port: 8080 },
    LocalServer { name: "vLLM", port: 8000 },
];

/// Returns those servers whose port somebody listens on, asked all at once.
pub(crate) fn listening(servers: &[LocalServer]) -> Vec<LocalServer> {
    thread::scope(|scope| {
        let listens = |server: LocalServer| {
            let address = SocketAddr::from((Ipv4Addr::LOCALHOST, server.port));
            TcpStream::connect_timeout(&address, PATIENCE).is_ok()
        };
        let asked: Vec<_> =
            servers.iter().map(|server| (*server, scope.spawn(move || listens(*server)))).collect();
        let answers = asked.into_iter().filter_map(|(server, answer)| {
            answer.join().is_ok_and(|listens| listens).then_some(server)
        });
        answers.collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::TcpListener;

    #[test]
    fn only_ports_with_a_listener_are_named() {
        let bind = || TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let (open, closed) = (bind(), bind());
        let server = |name, listener: &TcpListener| LocalServer {
            name,
            port: listener.local_addr().unwrap().port(),
        };
        let servers = [server("open", &open), server("closed", &closed)];
        drop(closed);
        assert_eq!(listening(&servers), servers[..1]);
    }
}
