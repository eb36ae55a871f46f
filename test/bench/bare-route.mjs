// A Fastify that does nothing but send the bytes of a file, with their tag: node bare-route.mjs <file> <etag>. Prints its port.
import { readFileSync } from 'node:fs';
import fastify from 'fastify';

const [file, etag] = process.argv.slice(2);
const bytes = readFileSync(file);
const app = fastify();
app.get('/', (request, reply) => {
  reply.header('etag', etag).header('cache-control', 'no-cache').type('application/json; charset=utf-8');
  return request.headers['if-none-match'] === etag ? reply.status(304).send() : reply.send(bytes);
});
await app.listen({ port: 0, host: '127.0.0.1' });
process.stdout.write(`${app.server.address().port}\n`);
