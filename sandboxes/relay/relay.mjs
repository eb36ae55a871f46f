// Joins a Unix socket to a port of 127.0.0.1: the only way into a model's network namespace, which has no other interface.
// Arguments: path of the socket, port. It reads nothing of what passes.
import { chmodSync } from 'node:fs';
import { connect, createServer } from 'node:net';

const [path, port] = process.argv.slice(2);

// half-open on both sides, so that the end of one direction travels on without cutting the other
const server = createServer({ allowHalfOpen: true, noDelay: true }, (host) => {
  const model = connect({ host: '127.0.0.1', port: Number(port), allowHalfOpen: true, noDelay: true });
  host.pipe(model);
  model.pipe(host);
  // an abortive close of one side must be seen as such on the other, never as a clean end
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
    // not possible on a socket of the host under gVisor, where whoever connects is root and needs no permission
  }
});
process.on('SIGTERM', () => process.exit(0));
