"""Runs llama.cpp's HTTP server on a free loopback port until it is ended.

usage: server.py MODEL.gguf

The first line on stdout is the server's address.
"""

import sys
import threading

import xllamacpp


def main() -> None:
    params = xllamacpp.CommonParams()
    params.model.path = sys.argv[1]
    params.model_alias = {"bytebigram"}
    params.hostnames = ["127.0.0.1"]
    params.port = 0
    params.n_ctx = 32768
    # One slot: a request that is not really cancelled keeps the next one waiting.
    params.n_parallel = 1
    params.cpuparams.n_threads = 1
    params.ui = False
    server = xllamacpp.Server(params)
    print(server.listening_address, flush=True)
    threading.Event().wait()


if __name__ == "__main__":
    main()
