import DataLoader from 'dataloader';

/** The most rows that one query asks for. */
const LARGEST_BATCH = 100;

/**
 * Batches lookups that are requested at the same time. The keys requested in one turn of the event
 * loop are read by one query, which starts after all of them were requested. Nothing is cached
 * between batches, so no caller receives stale rows. The busier the process, the fewer queries per
 * answer.
 * @param read returns the existing rows by key; it receives each key once
 * @returns a function that looks up one key; it returns null if there is no such row. Callers that
 * request the same key in one batch get the same object.
 */
export function batchedReads<Row>(
  read: (keys: readonly string[]) => Promise<ReadonlyMap<string, Row>>,
): (key: string) => Promise<Row | null> {
  const loader = new DataLoader<string, Row | null>(
    async (keys) => {
      const rows = await read([...new Set(keys)]);
      return keys.map((key) => rows.get(key) ?? null);
    },
    { cache: false, maxBatchSize: LARGEST_BATCH, batchScheduleFn: (dispatch) => void setImmediate(dispatch) },
  );
  return (key) => loader.load(key);
}
