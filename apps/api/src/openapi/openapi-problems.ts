import { ProblemDetails } from '@assay/contracts';
import type { OpenAPIObject } from '@nestjs/swagger';
import { jsonSchema } from './json-schema.js';

const METHODS = ['get', 'put', 'post', 'patch', 'delete'] as const;
/** The routes that need no credential, and give the same response with one. */
const OPEN = /^\/api\/v1\/(?:health\/|schemas\/|auth\/(?:register|login)$|crowd\/(?:links\/|sessions$))/;
/** The routes that need a credential only for what is not public. */
const READ = /^\/api\/v1\/(?:tasks|models)(?:\/|$)/;

type Operation = NonNullable<OpenAPIObject['paths'][string]['get']>;

/** Documents the errors of every operation, and how callers authenticate. */
export function withProblems(document: OpenAPIObject): OpenAPIObject {
  document.components = {
    ...document.components,
    schemas: { ...document.components?.schemas, Problem: jsonSchema(ProblemDetails) as object },
  };
  for (const [path, item] of Object.entries(document.paths)) {
    for (const method of METHODS) if (item[method]) describe(item[method], path, method);
  }
  return document;
}

function describe(operation: Operation, path: string, method: string): void {
  operation.responses['default'] = {
    description: 'A refusal or an error, as RFC 9457 problem details with a stable `code`',
    content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
  };
  if (OPEN.test(path)) return;
  const isOptional = method === 'get' && READ.test(path) && !path.endsWith('/logs');
  operation.security = [...(isOptional ? [{}] : []), { bearer: [] }, { cookie: [] }];
}
