/** The parts of a `pg` pool and of its clients that are used here. */
export interface Pool {
  on(event: 'connect', listener: (client: PoolClient) => void): unknown;
}

interface PoolClient {
  query(...parameters: readonly unknown[]): unknown;
  /** Given to the client while it is checked out; true: it is not to be used again. */
  release?(destroy: boolean): void;
}

/** Where a transaction begins or is given up. */
const EDGES = /^(begin|start transaction|rollback$)/i;

/**
 * Gives a connection back that was lost where a transaction begins or is rolled back. The query builder below the ORM does not: it
 * releases a connection after its `commit` or `rollback` has succeeded, so each loss would cost the pool a place, and its end would
 * wait for it forever.
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
