// For: reaching PostgreSQL: ORM settings, outbox, notifications, locks, connection budget.
// Knows: SQL, connections and their loss.
// Must not know: any entity of a context; the apps pass the list.
export * from './advisory-lock.js';
export * from './application-role.js';
export * from './batched-reads.js';
export * from './connection-shares.js';
export * from './database-options.js';
export * from './database-errors.js';
export * from './kept-bytes.js';
export * from './like-pattern.js';
export * from './notifications.js';
export * from './outbox.js';
export * from './outbox-relay.js';
export * from './prepared-rows.js';
export * from './table-copies.js';
export * from './transaction.js';
