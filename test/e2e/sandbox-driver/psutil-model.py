"""A model that answers every request with what psutil reads of its host."""

import json
import os
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import psutil


def readings():
    """Returns each reading by its name. A reading that fails raises."""
    return {
        "cpu_count": psutil.cpu_count(),
        "os.cpu_count": os.cpu_count(),
        "cpu_times": psutil.cpu_times(),
        "cpu_times of each": psutil.cpu_times(percpu=True),
        "cpu_percent": psutil.cpu_percent(interval=0.1),
        "cpu_percent of each": psutil.cpu_percent(interval=None, percpu=True),
        "cpu_stats": psutil.cpu_stats(),
        "virtual_memory": psutil.virtual_memory()._asdict(),
        "swap_memory": psutil.swap_memory()._asdict(),
        "disk_io_counters": psutil.disk_io_counters(),
        "boot_time": psutil.boot_time(),
        "getloadavg": psutil.getloadavg(),
        "rss": psutil.Process().memory_info().rss,
    }


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        self.answer({})

    def do_POST(self):
        self.rfile.read(int(self.headers["content-length"]))
        self.answer(readings())

    def answer(self, value):
        body = json.dumps(value).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


ThreadingHTTPServer(("127.0.0.1", int(os.environ["AIP_HTTP_PORT"])), Handler).serve_forever()
