/** What `pg` puts on an error that the server sent; the ORM's exceptions keep it. */
interface ServerError {
  readonly code: string;
  readonly constraint?: string;
}

/** A row with this unique key is there already. With `constraint`, only that constraint counts. */
export function isUniqueViolation(error: unknown, constraint?: string): boolean {
  return (
    isServerError(error) && error.code === '23505' && (constraint === undefined || error.constraint === constraint)
  );
}

/** A row that this one points to is not there, or a row that others point to was to be removed. */
export function isForeignKeyViolation(error: unknown, constraint?: string): boolean {
  return (
    isServerError(error) && error.code === '23503' && (constraint === undefined || error.constraint === constraint)
  );
}

/** The transaction lost against another one and may be tried again as it was. */
export function isSerializationFailure(error: unknown): boolean {
  return isServerError(error) && (error.code === '40001' || error.code === '40P01');
}

/** Thrown by a transaction that finds that it has to start again, as PostgreSQL's own serialisation failure. */
export class SerializationFailure extends Error {
  readonly code = '40001';
}

/** The server gave a statement up after as long as any may take: it waited for somebody else, or the server is overloaded. */
export const isStatementTimeout = (error: unknown): boolean => isServerError(error) && error.code === '57014';

const CONNECTION_CODES = /^(08\w{3}|57P0[123]|53300|ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|ENOTFOUND)$/;
const CONNECTION_MESSAGES =
  /connection terminated|connection ended|timeout exceeded when trying to connect|not queryable/i;

/** The database could not be reached, or went away in the middle. Nothing is known about the last statement. */
export function isConnectionLost(error: unknown): boolean {
  if (isServerError(error) && CONNECTION_CODES.test(error.code)) return true;
  return error instanceof Error && CONNECTION_MESSAGES.test(error.message);
}

function isServerError(error: unknown): error is ServerError {
  return typeof error === 'object' && error !== null && 'code' in error && typeof error.code === 'string';
}
