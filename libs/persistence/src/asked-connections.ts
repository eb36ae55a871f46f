/** The parts of a `pg` pool and of its clients that this module uses. */
interface Pool {
  on(event: 'connect', listener: (client: PoolClient) => void): unknown;
}

interface PoolClient {
  query(...parameters: readonly unknown[]): unknown;
  /** Set on a client while it is checked out; true means that it must not be used again. */
  release?(destroy: boolean): void;
}

/** Statements that begin or roll back a transaction. */
const EDGES = /^(begin|start transaction|rollback$)/i;

/**
 * Changes how the connections of a pool run queries.
 *
 * Passes a callback that refers to nothing but the two ends of a promise. The promise that `pg`
 * creates itself has a callback that refers to its query too. Until V8 has optimised that code, it
 * then moves each query with its rows to the old space: 0.7 of 11 MiB allocated, instead of 0.01.
 *
 * Runs queries with values as prepared statements (`preparedRows`), because their text contains no
 * values and recurs.
 *
 * Releases a connection that is lost when a transaction begins or is rolled back. The query builder
 * below the ORM does not: it releases a connection only after `commit` or `rollback` has succeeded,
 * so each loss would cost the pool a connection, and closing the pool would wait for it forever.
 */
export function askConnections(pool: Pool): void {
  pool.on('connect', (client) => {
    const query = client.query.bind(client);
    client.query = (...parameters) => {
      const [text, values, ...more] = parameters;
      // a cursor, or a caller with its own callback
      if (typeof text !== 'string' || typeof values === 'function' || more.length > 0) return query(...parameters);
      const { promise, resolve, reject } = Promise.withResolvers<unknown>();
      const settle = settling(resolve, reject);
      if (Array.isArray(values) && values.length > 0) query({ name: nameOf(text), text, values }, settle);
      else query(text, values, settle);
      if (EDGES.test(text)) promise.catch(() => client.release?.(true));
      return promise;
    };
  });
}

const names = new Map<string, string>();

/** Returns the name of a prepared statement. Short, because it is sent to the server each time. */
function nameOf(text: string): string {
  const name = names.get(text) ?? `s${names.size}`;
  names.set(text, name);
  return name;
}

/** Creates the callback outside the caller's scope, so that it refers to nothing of it. */
function settling(resolve: (result: unknown) => void, reject: (error: Error) => void) {
  return (error: Error | null, result: unknown): void => {
    if (error) reject(error);
    else resolve(result);
  };
}
