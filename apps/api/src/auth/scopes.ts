import { TOKEN_SCOPES, type TokenScope } from '@assay/contracts';
import type { Principal } from '@assay/identity';
import { DomainError } from '@assay/kernel';

/** The POST routes that change nothing: they are queries that are too long for a URL. */
const READS: ReadonlySet<string> = new Set([
  'POST /api/v1/task-checks',
  'POST /api/v1/tasks/:slug/preview',
  'POST /api/v1/tasks/:slug/loop/preview',
  'POST /api/v1/tasks/:slug/datasets/:name/check',
]);

/** The routes that submitting a model needs, from its card to the board. */
const SUBMITS: ReadonlySet<string> = new Set([
  'POST /api/v1/tasks/:slug/models',
  'PUT /api/v1/models/:id/artifact',
  'POST /api/v1/models/:id/upload',
  'PATCH /api/v1/models/:id/upload',
  'DELETE /api/v1/models/:id/upload',
  'POST /api/v1/models/:id/upload/:upload',
  'PATCH /api/v1/models/:id/upload/:upload',
  'DELETE /api/v1/models/:id/upload/:upload',
  'POST /api/v1/models/:id/predict',
  'POST /api/v1/models/:id/rerun',
  'POST /api/v1/models/:id/cancel',
  'POST /api/v1/models/:id/publish',
]);

/**
 * Returns the smallest scope that a token needs for a route such as
 * `POST /api/v1/tasks/:slug/models`. A route that changes something and is not listed here needs
 * `all`, so that a new route is closed to smaller scopes by default.
 */
export function scopeOf(route: string): TokenScope {
  if (/^(?:GET|HEAD|OPTIONS) /.test(route) || READS.has(route)) return 'read';
  return SUBMITS.has(route) ? 'submit' : 'all';
}

/** @throws DomainError `scope_missing` */
export function requireScope({ scope }: Principal, route: string): void {
  const needed = scopeOf(route);
  if (TOKEN_SCOPES.indexOf(scope) >= TOKEN_SCOPES.indexOf(needed)) return;
  throw new DomainError(
    'forbidden',
    'scope_missing',
    `This token is for "${scope}", and this needs one for "${needed}": make such a token, or sign in.`,
  );
}
