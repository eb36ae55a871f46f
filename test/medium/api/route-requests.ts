import type { ApiRequest } from '../../factories/worlds/api-call.js';
import { exampleOf, filledPath, type Operation } from '../../factories/worlds/api-operations.js';
import type { Rule } from './route-rules.js';
import { ABSENT, type RouteWorld, USUAL } from './route-world.js';

export interface RouteRequest {
  /** The path below `/api/v1`, with its query. */
  readonly path: string;
  readonly request: ApiRequest;
}

/** Returns the request of a rule, about its object or about one that does not exist. */
export function requestOf(all: RouteWorld, operation: Operation, rule: Rule, about: 'it' | 'nothing'): RouteRequest {
  const { ids } = all;
  const named = Object.fromEntries(Object.entries(rule.of ?? {}).map(([hole, name]) => [hole, ids[name] ?? name]));
  const holes = { ...USUAL, ...named };
  const hides = rule.hides ?? ('id' in holes ? 'id' : 'name');
  const isInPath = operation.path.includes(`{${hides}}`);
  if (about === 'nothing' && isInPath) holes[hides] = ABSENT[hides]!;
  const query = (rule.query ?? '').replace(/\{([^}]+)\}/g, (_, name: string) =>
    name !== 'hidden' ? ids[name]! : about === 'nothing' ? ABSENT[hides]! : ids[hides]!,
  );
  const body = bodyOf(all, operation, rule);
  return {
    path: `${filledPath(operation.path, holes)}${query}`,
    request:
      operation.body.kind === 'file' ? { type: 'application/x-ndjson', body: '' } : body === undefined ? {} : { body },
  };
}

function bodyOf({ bodies, document }: RouteWorld, { body }: Operation, rule: Rule): object | undefined {
  const given = typeof rule.body === 'string' ? bodies[rule.body] : rule.body;
  if (given !== undefined) return given as object;
  return body.kind === 'json' ? (exampleOf(body.schema, document) ?? {}) : undefined;
}
