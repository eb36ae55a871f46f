import { createServer } from 'node:net';

/** A TCP port that was free on `host` a moment ago: `wanted` if that one is, else any. */
export async function freePort(host: string, wanted = 0): Promise<number> {
  return (await isFree(host, wanted)) || freePort(host);
}

/** `port` (or the one found, for 0) when nothing listens there, else 0. */
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
