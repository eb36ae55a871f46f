import { AuditEntry } from './audit/audit-entry.js';
import { Credential } from './credential.js';
import { ExternalIdentity } from './external-identity.js';
import { ProviderSignIn } from './provider-sign-in.js';
import { SignInAttempt } from './sign-in-attempt.js';
import { User } from './user.js';

/** The entities of this context. */
export const identityEntities = [User, Credential, AuditEntry, SignInAttempt, ExternalIdentity, ProviderSignIn];
