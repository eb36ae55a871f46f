// For: the audit log.
export {
  type Actor,
  type AuditedFacts,
  AuditEntry,
  AuditLog,
  type AuditRecord,
  differences,
  networkOf,
} from './audit-log.js';
