import { DomainError } from '@assay/kernel';
import type { FastifyInstance, FastifyRequest } from 'fastify';

/** The maximum number of characters of a URL with its query. */
const LONGEST_ADDRESS = 8192;
/** The maximum depth of nested values. A task definition needs 7. */
const DEEPEST = 32;
/** The maximum total number of keys and list entries. */
const MOST_VALUES = 50_000;

/**
 * Rejects URLs and parsed bodies that cannot be stored, or would cost more to read than any
 * meaningful request, before they are processed.
 */
export function applyPayloadLimits(fastify: FastifyInstance): void {
  fastify.addHook('onRequest', (request, _reply, done) => done(addressProblem(request) ?? undefined));
  fastify.addHook('preValidation', (request, _reply, done) => done(bodyProblem(request.body) ?? undefined));
}

function addressProblem({ url }: FastifyRequest): DomainError | null {
  if (url.length > LONGEST_ADDRESS) {
    return invalid('address_too_long', `The URL has ${url.length} characters; the limit is ${LONGEST_ADDRESS}.`);
  }
  return /%00/.test(url) ? nul() : null;
}

/** Must not recurse: a megabyte of brackets is half a million levels. */
function bodyProblem(body: unknown): DomainError | null {
  let values = 0;
  const waiting: [value: unknown, depth: number][] = [[body, 0]];
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const [value, depth] = next;
    if (typeof value === 'string') {
      const problem = textProblem(value);
      if (problem) return problem;
    }
    if (typeof value !== 'object' || value === null) continue;
    if (depth >= DEEPEST) return tooDeep();
    for (const [key, inner] of Object.entries(value)) {
      values += 1;
      if (values > MOST_VALUES) {
        const text = `The request body has too many keys and entries (limit: ${MOST_VALUES}).`;
        return invalid('too_many_values', text);
      }
      const problem = textProblem(key);
      if (problem) return problem;
      waiting.push([inner, depth + 1]);
    }
  }
  return null;
}

function textProblem(text: string): DomainError | null {
  if (text.includes('\0')) return nul();
  if (text.isWellFormed()) return null;
  return invalid('invalid_text', 'A text has half of a surrogate pair, which is not a character. Remove it.');
}

const nul = (): DomainError =>
  invalid('invalid_text', 'A text has the character U+0000, which cannot be stored. Remove it.');

export const tooDeep = (): DomainError =>
  invalid('too_deep', `The request body is nested too deeply (limit: ${DEEPEST} levels).`);

const invalid = (code: string, text: string): DomainError => new DomainError('invalid', code, text);
