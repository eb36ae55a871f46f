/** Answers a request with a body: bytes, a string, or a value to encode as JSON. */
export function send(response, body, headers = {}) {
  const text = typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body);
  response.writeHead(200, { 'content-type': 'application/json', ...headers }).end(text);
}

/** Returns the head of a raw response, for responses that Node's server would not send. */
export const head = (lines) => `HTTP/1.1 200 OK\r\n${lines.map((line) => `${line}\r\n`).join('')}\r\n`;

/**
 * Writes `bytes` repeatedly, as fast as they are accepted, until the socket is no longer writable.
 */
export function pour(socket, bytes) {
  const more = () => {
    while (socket.writable && socket.write(bytes));
    if (socket.writable) socket.once('drain', more);
  };
  more();
}
