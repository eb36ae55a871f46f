import DataLoader from 'dataloader';

/** Rows that one query asks for at most. */
const LARGEST_BATCH = 100;

/**
 * Looks up together what many ask for at the same time: the keys that came with what the process has just received are one query, which begins
 * after all of them were asked for. Nothing is kept from one to the next, so that nobody is told of what was. The busier the process is, the
 * fewer queries an answer takes.
 * @param read the rows there are, by key; it is given each key once
 * @returns looks up one key; null where there is no such row. Who asks for the same key together gets the same object.
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
