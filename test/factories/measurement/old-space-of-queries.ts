// Queries a database many times through the ORM's pool and prints the bytes that each query left in
// V8's old space: node …/old-space-of-queries.ts URL. A separate process, because a test process
// moves many other objects there.
import { getHeapSpaceStatistics } from 'node:v8';
import { databaseOptions } from '@assay/persistence';
import { OutboxEvent } from '@assay/persistence/outbox';
import { MikroORM } from '@mikro-orm/postgresql';

const QUERIES = 5_000;

const orm = await MikroORM.init(databaseOptions({ url: process.argv[2]!, entities: [OutboxEvent], poolMax: 2 }));
await ask(QUERIES / 5);
globalThis.gc!();
const before = oldSpace();
await ask(QUERIES);
console.log((oldSpace() - before) / QUERIES);
await orm.close();

async function ask(times: number): Promise<void> {
  for (let time = 0; time < times; time++) await orm.em.fork().execute('select 1 as one');
}

/** The used bytes of the old space. */
function oldSpace(): number {
  return getHeapSpaceStatistics().find(({ space_name }) => space_name === 'old_space')!.space_used_size;
}
