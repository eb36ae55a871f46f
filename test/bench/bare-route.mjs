// A Fastify server that only sends the bytes of a file with an entity tag: node bare-route.mjs
// <file> <etag> <encoding>. Prints its port.
import { readFileSync } from 'node:fs';
import fastify from 'fastify';

const [file, etag, encoding] = process.argv.slice(2);
const bytes = readFileSync(file);
const app = fastify();
app.get('/', (request, reply) => {
  reply.header('etag', etag).header('cache-control', 'no-cache').type('application/json; charset=utf-8');
  if (encoding !== 'identity') reply.header('content-encoding', encoding);
  return request.headers['if-none-match'] === etag ? reply.status(304).send() : reply.send(bytes);
});
await app.listen({ port: 0, host: '127.0.0.1' });
process.stdout.write(`${app.server.address().port}\n`);
