import { TOKEN_SCOPES, type TokenScope } from '@assay/contracts/identity';
import type { Principal } from '@assay/identity';
import { DomainError } from '@assay/kernel';
import type { RouteAccess } from '../access/access.js';
import { isReading } from '../access/reading-methods.js';

/**
 * Returns the smallest scope that a token needs for a request.
 * @param declared the scope that its route declares. A route that changes something and declares
 *   none needs `all`, so that a new route is closed to smaller scopes by default.
 */
export function scopeOf(method: string, declared: RouteAccess['scope']): TokenScope {
  if (isReading(method)) return 'read';
  return (typeof declared === 'object' ? declared[method] : declared) ?? 'all';
}

/** @throws DomainError `scope_missing` */
export function requireScope({ scope }: Principal, needed: TokenScope): void {
  if (TOKEN_SCOPES.indexOf(scope) >= TOKEN_SCOPES.indexOf(needed)) return;
  throw new DomainError(
    'forbidden',
    'scope_missing',
    `This operation requires the "${needed}" scope; your token has "${scope}". Create a token with that scope, or sign in.`,
  );
}
