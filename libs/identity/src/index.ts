// For: who a user is, and how they prove it.
// Knows: users, their tokens and sessions, roles; the audit log of their actions.
// Must not know: tasks, models, HTTP.
export { AccountsService } from './accounts.service.js';
export { Credential, type SignInMethod } from './credential.js';
export { CredentialsService, endOf, type IssuedCredential, lastUse } from './credentials.service.js';
export { hashOf } from './credentials.service.js';
export { identityEntities } from './entities.js';
export { ExternalIdentity } from './external-identity.js';
export { IdentityModule } from './identity.module.js';
export { identityPersonalData } from './personal-data.js';
export { isAdministrator, type Principal } from './principal.js';
export { type ProvenPerson, ProviderSignIn } from './provider-sign-in.js';
export { provenAtOf, ProviderSignInsService } from './provider-sign-ins.service.js';
export { SessionsService } from './sessions.service.js';
export { SignInAttempt } from './sign-in-attempt.js';
export type { AttemptOrigin } from './sign-in-attempts.js';
export { User } from './user.js';
export { UserRepository } from './user.repository.js';
