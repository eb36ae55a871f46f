import type { FastifyInstance, FastifyRequest } from 'fastify';
import { parse as parseYaml } from 'yaml';
import { DomainError } from '@assay/kernel';

/** Where the body is a file: it is streamed to the store, whatever type it says it has. */
const STREAMED = /^\/api\/v1\/(?:tasks\/[^/]+\/datasets\/|models\/[^/]+\/(?:artifact|upload))/;
const ORIGINAL = Symbol('content-type');
const LONGEST_YAML = 2 ** 20;

type Marked = FastifyRequest & { [ORIGINAL]?: string };

/** Has bodies that are files passed on as they come, and YAML read as JSON would be. */
export function acceptBodies(fastify: FastifyInstance): void {
  fastify.addHook('onRequest', (request, _reply, done) => {
    if (request.method !== 'GET' && STREAMED.test(request.url)) {
      (request as Marked)[ORIGINAL] = request.headers['content-type'] ?? '';
      request.headers['content-type'] = 'application/octet-stream';
    }
    done();
  });
  fastify.addContentTypeParser('application/octet-stream', (_request, _payload, done) => done(null));
  fastify.addContentTypeParser(
    ['application/yaml', 'application/x-yaml', 'text/yaml'],
    { parseAs: 'string', bodyLimit: LONGEST_YAML },
    (_request, body, done) => {
      try {
        done(null, parseYaml(String(body), { maxAliasCount: 100 }));
      } catch (error) {
        done(new DomainError('invalid', 'bad_yaml', `This is no YAML: ${(error as Error).message}`));
      }
    },
  );
}

/** The type that the sender gave a streamed body. */
export function originalContentType(request: FastifyRequest): string {
  return (request as Marked)[ORIGINAL] || 'application/octet-stream';
}
