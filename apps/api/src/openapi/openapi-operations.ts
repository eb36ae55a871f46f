import { ProblemDetails } from '@assay/contracts';
import type { OpenAPIObject } from '@nestjs/swagger';
import { jsonSchema } from './json-schema.js';

const METHODS = ['get', 'put', 'post', 'patch', 'delete'] as const;
/** The routes that need no credential, and give the same response with one. */
const OPEN = /^\/api\/v1\/(?:health\/|schemas\/|auth\/(?:register|login)$|crowd\/(?:links\/|sessions$))/;
/** The routes that need a credential only for what is not public. */
const READ = /^\/api\/v1\/(?:tasks|models)(?:\/|$)/;
/** The first sentence, and what follows it. */
const FIRST_SENTENCE = /^(.*?\.)\s+(?=\p{Lu}|`)(.*)$/su;

type Operation = NonNullable<OpenAPIObject['paths'][string]['get']>;

/** Documents the summary and the errors of every operation, and how callers authenticate. */
export function withOperations(document: OpenAPIObject): OpenAPIObject {
  document.components = {
    ...document.components,
    schemas: { ...document.components?.schemas, Problem: jsonSchema(ProblemDetails) as object },
  };
  for (const [path, item] of Object.entries(document.paths)) {
    for (const method of METHODS) {
      const operation = item[method];
      if (!operation) continue;
      summarise(operation);
      addErrors(operation, path, method);
    }
  }
  return document;
}

/**
 * Splits the docstring of a route, which the compiler stores as its summary: the first sentence
 * becomes the summary, the rest the description.
 */
function summarise(operation: Operation): void {
  if (operation.summary === undefined) return;
  const text = operation.summary.replace(/\s+/g, ' ').trim();
  const [, first = text, rest] = FIRST_SENTENCE.exec(text) ?? [];
  operation.summary = first;
  if (rest !== undefined) operation.description = rest;
}

function addErrors(operation: Operation, path: string, method: string): void {
  operation.responses['default'] = {
    description: 'A refusal or an error, as RFC 9457 problem details with a stable `code`',
    content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
  };
  if (OPEN.test(path)) return;
  const isOptional = method === 'get' && READ.test(path) && !path.endsWith('/logs');
  operation.security = [...(isOptional ? [{}] : []), { bearer: [] }, { cookie: [] }];
}
