/** Answers a request with a body: bytes, a text, or what JSON is made of. */
export function send(response, body, headers = {}) {
  const text = typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body);
  response.writeHead(200, { 'content-type': 'application/json', ...headers }).end(text);
}

/** The whole of an answer, for what Node's own server would not send: head and body as they are. */
export const head = (lines) => `HTTP/1.1 200 OK\r\n${lines.map((line) => `${line}\r\n`).join('')}\r\n`;

/** Writes `bytes` again and again, as fast as they are taken, until nobody takes them. */
export function pour(socket, bytes) {
  const more = () => {
    while (socket.writable && socket.write(bytes));
    if (socket.writable) socket.once('drain', more);
  };
  more();
}
