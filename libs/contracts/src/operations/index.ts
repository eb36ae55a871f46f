// For: administration and health.
export {
  AuditAction,
  AuditEntryList,
  type AuditSubjectKind,
  AuditView,
  BLOB_KINDS,
  ChangeUser,
  EvaluatorList,
  InvitationCreated,
  InvitationList,
  type InvitationView,
  ManagedUser,
  ManagedUserList,
  QueueStates,
  RunningSandboxes,
  StorageItems,
  StorageReport,
  UserStorageView,
  WhichEntries,
  WhichUsers,
} from './administration.js';
export { API_PARTS, Health, Readiness, ReadinessQuery, SERVICE_PARTS, type ServicePart } from './health.js';
