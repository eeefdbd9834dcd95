//! The HTTP client: TLS, proxies, headers.
