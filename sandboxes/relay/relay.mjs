// Connects a Unix socket to a port of 127.0.0.1. This is the only way into a model's network
// namespace, which has no other interface. Arguments: the path of the socket, and the port. Does
// not interpret the bytes that pass.
import { chmodSync } from 'node:fs';
import { connect, createServer } from 'node:net';

const [path, port] = process.argv.slice(2);

// half-open on both sides, so that the end of one direction is forwarded without closing the other
const server = createServer({ allowHalfOpen: true, noDelay: true }, (host) => {
  const model = connect({ host: '127.0.0.1', port: Number(port), allowHalfOpen: true, noDelay: true });
  host.pipe(model);
  model.pipe(host);
  // an abortive close of one side must arrive as such on the other side, never as a clean end
  host.on('error', () => model.resetAndDestroy());
  model.on('error', () => host.destroy());
  host.on('close', () => model.destroy());
  model.on('close', (hadError) => (hadError ? host.destroy() : undefined));
});

server.on('error', (error) => {
  console.error(error.message);
  process.exit(1);
});
server.listen(path, () => {
  try {
    chmodSync(path, 0o777);
  } catch {
    // impossible on a socket of the host under gVisor; the process that connects there is root and
    // needs no permission
  }
});
process.on('SIGTERM', () => process.exit(0));
