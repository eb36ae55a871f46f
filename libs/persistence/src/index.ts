// For: reaching PostgreSQL: ORM settings, outbox, notifications, locks, connection budget.
// Knows: SQL, connections and their loss.
// Must not know: any entity of a context; the apps pass the list.
export { holdAdvisoryLock, withAdvisoryLock } from './advisory-lock.js';
export { grantToApplication, powersOver } from './application-role.js';
export { batchedReads } from './batched-reads.js';
export { preventByteRemoval, mayRemoveBytes } from './byte-removal.js';
export { connectionShares } from './connection-shares.js';
export { probeDatabase, withStatementTimeout } from './database-answers.js';
export {
  isConnectionLost,
  isSerializationFailure,
  isStatementTimeout,
  isUniqueViolation,
  SerializationFailure,
} from './database-errors.js';
export { databaseOptions, QUEUE_SCHEMA } from './database-options.js';
export { likeText } from './like-pattern.js';
export { Notifications, notifyChannel } from './notifications.js';
export { OutboxRelay } from './outbox-relay.js';
export { Outbox, OutboxEvent, type OutboxRecord } from './outbox.js';
export { OutboxRepository } from './outbox.repository.js';
export { deleteOwnRows, type ErasedUser, type PersonalData, personalRows } from './personal-data.js';
export { preparedRows } from './prepared-rows.js';
export { HeldLeases, LEASE_TIMES, type LeaseTimes, RenewedLease } from './renewed-lease.js';
export { Repository } from './repository.js';
export {
  copyTableIn,
  copyTableOut,
  inOrderOfReferences,
  sequencesToCopy,
  setSequence,
  tablesToCopy,
} from './table-copies.js';
export { inTransaction } from './transaction.js';
export {
  anyOf,
  type CountedRows,
  countRows,
  databaseTime,
  databaseTimeIn,
  jsonValue,
  type TablesOf,
  uuidArray,
} from './typed-queries.js';
