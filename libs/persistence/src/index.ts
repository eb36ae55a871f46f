// For: reaching PostgreSQL: ORM settings, outbox, notifications, locks, connection budget.
// Knows: SQL, connections and their loss.
// Must not know: any entity of a context; the apps pass the list.
export { grantToApplication, powersOver } from './application-role.js';
export { preventByteRemoval, mayRemoveBytes } from './byte-removal.js';
export { connectionShares, processesOf } from './connection-shares.js';
export { probeDatabase, withStatementTimeout } from './queries/transaction.js';
export { databaseOptions, QUEUE_SCHEMA } from './database-options.js';
export { deleteOwnRows, type ErasedUser, type PersonalData, personalRows } from './personal-data.js';
