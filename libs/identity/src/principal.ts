import type { TokenScope } from '@assay/contracts/identity';
import type { Role } from './user.js';

/** The authenticated user of a request. */
export interface Principal {
  readonly userId: string;
  readonly username: string;
  readonly role: Role;
  readonly credentialId: string;
  /** The scope of the credential. */
  readonly scope: TokenScope;
  /** The client address of the request. */
  readonly address?: string;
}

export const isAdministrator = (principal: Principal | null): boolean => principal?.role === 'administrator';
