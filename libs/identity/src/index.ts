// For: who a user is, and how they prove it.
// Knows: users, their tokens and sessions, roles; the audit log of their actions.
// Must not know: tasks, models, HTTP.
export { AccountsService, registrationClosed } from './accounts.service.js';
export { Credential, type SignInMethod } from './credential.js';
export { CredentialsService, endOf, hashOf, type IssuedCredential, lastUse } from './credentials.service.js';
export { ExternalIdentity, type ProvenPerson, ProviderSignIn } from './provider-sign-in.js';
export { IdentityModule } from './identity.module.js';
export { identityPersonalData } from './personal-data.js';
export { isAdministrator, isVerified, type Principal, User, UserRepository, type VerificationFacts } from './user.js';
export { provenAtOf, ProviderSignInsService } from './provider-sign-ins.service.js';
export { SessionsService } from './sessions.service.js';
export { SignInAttempt } from './sign-in-attempt.js';
export type { AttemptOrigin } from './sign-in-attempts.js';
