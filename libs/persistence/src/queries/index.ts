// For: queries: the typed builder, transactions, prepared statements, errors of the database.
export { batchedReads } from './batched-reads.js';
export {
  ifDuplicate,
  isConnectionLost,
  isSerializationFailure,
  isStatementTimeout,
  isUniqueViolation,
  SerializationFailure,
} from './database-errors.js';
export {
  anyOf,
  type CountedRows,
  countRows,
  databaseTime,
  databaseTimeIn,
  jsonValue,
  leaseEnd,
  likeText,
  preparedEntities,
  preparedRows,
  Repository,
  type TablesOf,
  uuidArray,
} from './repository.js';
export { inTransaction } from './transaction.js';
