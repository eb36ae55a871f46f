/** The parts of a `pg` pool and of its clients that this module uses. */
export interface Pool {
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
 * Releases a connection that is lost when a transaction begins or is rolled back. The query builder
 * below the ORM does not: it releases a connection only after `commit` or `rollback` has succeeded,
 * so each loss would cost the pool a connection, and closing the pool would wait for it forever.
 */
export function releaseLostConnections(pool: Pool): void {
  pool.on('connect', (client) => {
    const query = client.query.bind(client);
    client.query = (...parameters) => {
      const result = query(...parameters);
      const [text] = parameters;
      if (result instanceof Promise && typeof text === 'string' && EDGES.test(text)) {
        result.catch(() => client.release?.(true));
      }
      return result;
    };
  });
}
