import type { TokenScope } from '@assay/contracts';
import type { Role } from './user.js';

/** Who makes a request, once that is proven. */
export interface Principal {
  readonly userId: string;
  readonly username: string;
  readonly role: Role;
  readonly credentialId: string;
  /** What the credential is good for. */
  readonly scope: TokenScope;
  /** From where the request came. */
  readonly address?: string;
}

export const isAdministrator = (principal: Principal | null): boolean => principal?.role === 'administrator';
