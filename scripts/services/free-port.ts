import { createServer } from 'node:net';

/** Returns a TCP port that was free on `host` a moment ago: `wanted` if it is free, else any. */
export async function freePort(host: string, wanted = 0): Promise<number> {
  return (await isFree(host, wanted)) || freePort(host);
}

/** Returns `port` (for 0, the port that was found) if nothing listens on it, else 0. */
export function isFree(host: string, port: number): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(0));
    server.listen({ host, port, exclusive: true }, () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });
}
