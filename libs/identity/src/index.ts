// For: who a user is, and how they prove it.
// Knows: users, their tokens and sessions, roles; the audit log of their actions.
// Must not know: tasks, models, HTTP.
export * from './accounts.service.js';
export * from './audit-entry.js';
export * from './audit-log.js';
export * from './credential.js';
export * from './credentials.service.js';
export * from './external-identity.js';
export * from './mail-confirmation.js';
export * from './mail-confirmations.service.js';
export * from './password-rule.js';
export * from './principal.js';
export * from './provider-sign-in.js';
export * from './provider-sign-ins.service.js';
export * from './sessions.service.js';
export * from './sign-in-attempt.js';
export * from './sign-in-attempts.js';
export * from './user.js';
export * from './users.service.js';
export * from './entities.js';
