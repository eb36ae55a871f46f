/** The field that `pg` sets on an error from the server; the exceptions of the ORM keep it. */
interface ServerError {
  readonly code: string;
}

/** Returns whether `error` is a violation of a unique constraint: a row with this key exists. */
export const isUniqueViolation = (error: unknown): boolean => isServerError(error) && error.code === '23505';

/** Returns a handler of a failed write, which throws `duplicate` if a row with this key exists. */
export const ifDuplicate =
  (duplicate: () => Error) =>
  (error: unknown): never => {
    throw isUniqueViolation(error) ? duplicate() : error;
  };

/** Returns whether the transaction lost against another one and may be retried unchanged. */
export function isSerializationFailure(error: unknown): boolean {
  return isServerError(error) && (error.code === '40001' || error.code === '40P01');
}

/**
 * Thrown by a transaction that detects that it must start again. Has the code of PostgreSQL's own
 * serialisation failure.
 */
export class SerializationFailure extends Error {
  readonly code = '40001';
}

/**
 * Returns whether the server cancelled a statement at the statement timeout: it waited for another
 * transaction, or the server is overloaded.
 */
export const isStatementTimeout = (error: unknown): boolean => isServerError(error) && error.code === '57014';

const CONNECTION_CODES = /^(08\w{3}|57P0[123]|53300|ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|ENOTFOUND)$/;
const CONNECTION_MESSAGES =
  /connection terminated|connection ended|timeout exceeded when trying to connect|not queryable/i;

/**
 * Returns whether the database could not be reached or the connection was lost. Whether the last
 * statement took effect is unknown.
 */
export function isConnectionLost(error: unknown): boolean {
  if (isServerError(error) && CONNECTION_CODES.test(error.code)) return true;
  return error instanceof Error && CONNECTION_MESSAGES.test(error.message);
}

function isServerError(error: unknown): error is ServerError {
  return typeof error === 'object' && error !== null && 'code' in error && typeof error.code === 'string';
}
