import { AuditEntry } from './audit-entry.js';
import { Credential } from './credential.js';
import { User } from './user.js';

/** The tables of this context. */
export const identityEntities = [User, Credential, AuditEntry];
