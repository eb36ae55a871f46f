import { ProblemDetails } from '@assay/contracts';
import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import { SESSION_COOKIE } from '../auth/session-cookie.js';
import { jsonSchema } from './json-schema.js';

const METHODS = ['get', 'put', 'post', 'patch', 'delete'] as const;
/** The routes that need no credential, and give the same response with one. */
const OPEN = /^\/api\/v1\/(?:health\/|schemas\/|auth\/(?:register|login)$|crowd\/(?:links\/|sessions$))/;
/** The routes that need a credential only for what is not public. */
const READ = /^\/api\/v1\/(?:tasks|models)(?:\/|$)/;
/** The routes that take only the tokens of evaluators. */
const GATEWAY = /^\/api\/v1\/evaluator(?:\/|$)/;
/** The first sentence, and what follows it. */
const FIRST_SENTENCE = /^(.*?\.)\s+(?=\p{Lu}|`)(.*)$/su;

type Operation = NonNullable<OpenAPIObject['paths'][string]['get']>;

export function openApiDocument(app: INestApplication): OpenAPIObject {
  const description =
    'Models are submitted, run in a sandbox on every round of a growing benchmark, scored and ranked. ' +
    'Errors are RFC 9457 problem details with a stable `code`.';
  const config = new DocumentBuilder()
    .setTitle('Assay')
    .setDescription(description)
    .setVersion('1')
    .setOpenAPIVersion('3.1.0')
    .addServer('/', 'where this document was read')
    .addBearerAuth({ type: 'http', scheme: 'bearer', description: 'A token of POST /tokens' })
    .addBearerAuth({ type: 'http', scheme: 'bearer', description: 'A token of POST /evaluators' }, 'evaluator')
    .addCookieAuth(SESSION_COOKIE)
    .build();
  const document = SwaggerModule.createDocument(app, config, {
    operationIdFactory: (controller, method) => controller.replace(/Controller$/, '').toLowerCase() + capital(method),
  });
  return withExclusiveBounds(withOperations(document));
}

const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);

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
  if (GATEWAY.test(path)) {
    operation.security = [{ evaluator: [] }];
    return;
  }
  const isOptional = method === 'get' && READ.test(path) && !path.endsWith('/logs');
  operation.security = [...(isOptional ? [{}] : []), { bearer: [] }, { cookie: [] }];
}

/**
 * Makes exclusive bounds numbers, as in OpenAPI 3.1. The generated document has those of 3.0:
 * booleans that modify another bound.
 */
export function withExclusiveBounds<T>(document: T): T {
  if (typeof document !== 'object' || document === null) return document;
  const schema = document as Record<string, unknown>;
  for (const [exclusive, bound] of [
    ['exclusiveMinimum', 'minimum'],
    ['exclusiveMaximum', 'maximum'],
  ] as const) {
    if (schema[exclusive] !== true) continue;
    schema[exclusive] = schema[bound];
    Reflect.deleteProperty(schema, bound);
  }
  Object.values(schema).forEach(withExclusiveBounds);
  return document;
}
