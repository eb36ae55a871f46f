// For: queries: the typed builder, transactions, prepared statements, errors of the database.
export { batchedReads } from './batched-reads.js';
export {
  isConnectionLost,
  isSerializationFailure,
  isStatementTimeout,
  isUniqueViolation,
  SerializationFailure,
} from './database-errors.js';
export { likeText } from './like-pattern.js';
export { preparedRows } from './prepared-rows.js';
export { Repository } from './repository.js';
export { inTransaction } from './transaction.js';
export {
  anyOf,
  type CountedRows,
  countRows,
  databaseTime,
  databaseTimeIn,
  jsonValue,
  leaseEnd,
  type TablesOf,
  uuidArray,
} from './typed-queries.js';
