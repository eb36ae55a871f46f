import { DomainError } from '@assay/kernel';
import type { FastifyInstance } from 'fastify';

/** Refuses U+0000 in an address or a parsed body: PostgreSQL keeps it in no text. */
export function refuseUnstorableText(fastify: FastifyInstance): void {
  fastify.addHook('preValidation', (request, _reply, done) => {
    if (/%00/.test(request.url) || holdsNul(request.body)) done(unstorable());
    else done();
  });
}

function holdsNul(value: unknown): boolean {
  if (typeof value === 'string') return value.includes('\0');
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).some(([key, inner]) => holdsNul(key) || holdsNul(inner));
}

const unstorable = (): DomainError =>
  new DomainError('invalid', 'invalid_text', 'A text here has the character U+0000, which can not be stored.');
