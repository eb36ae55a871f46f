// For: the audit log.
export { type AuditedFacts, AuditEntry } from './audit-entry.js';
export { type Actor, AuditLog, type AuditRecord, networkOf } from './audit-log.js';
