import { join } from 'node:path';
import { parquetMetadataAsync, asyncBufferFromFile } from 'hyparquet';
import { LocalBlobStore } from '@assay/storage';
import { Client } from 'pg';
import type { Bench } from './bench.js';
import { examplesFile } from './examples-file.js';
import { figure, inTurn, median, range } from './samples.js';
import { nullImage } from './submissions.js';

/**
 * The platform's own cost per example, in time and disk space: a model that does nothing, in a real
 * sandbox.
 */
export const overheadBench: Bench = {
  name: 'overhead',
  async run(context) {
    const { quick, rounds, folder } = context;
    const rows = quick ? 10_000 : 100_000;
    const examples = await examplesFile(folder, rows, 'overhead');
    const service = await context.service();
    const bytes: number[] = [];

    const pass = async (answers: 'constant' | 'hashed', round: number): Promise<number> => {
      const task = await service.task(examples);
      service.clock.taken();
      await service.evaluate(task, 'container', await nullImage(folder, answers, `overhead-${round}`));
      if (answers === 'hashed') bytes.push(await bytesOfAnswer(service.world.databaseUrl, service.world.home));
      return (1e6 * service.clock.taken()[0]!.seconds) / rows;
    };
    const { constant, hashed } = await inTurn(context, rounds ?? (quick ? 1 : 3), 'µs an example', {
      constant: (round) => pass('constant', round),
      hashed: (round) => pass('hashed', round),
    });

    const count = rows.toLocaleString('en-US');
    return [
      {
        what: `overhead per example: a model that answers a constant, in a sandbox, through commit (${count} examples)`,
        goal: '≤ 10 µs',
        measured: `${figure(median(constant))} µs (${range(constant)})`,
        reached: median(constant) <= 10,
      },
      {
        what: 'the same, a label for each text by its hash',
        goal: '',
        measured: `${figure(median(hashed))} µs (${range(hashed)})`,
        reached: null,
      },
      {
        what: `predictions stored: a label of three, at random (${count} examples)`,
        goal: '≤ 2 bytes',
        measured: `${figure(median(bytes))} bytes`,
        reached: median(bytes) <= 2,
      },
    ];
  },
};

/** Returns the bytes per prediction in the newest file of predictions. */
async function bytesOfAnswer(databaseUrl: string, home: string): Promise<number> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  const { rows } = await client.query<{ predictions: string }>(
    'select predictions from evaluation where predictions is not null order by finished_at desc limit 1',
  );
  await client.end();
  const blobs = new LocalBlobStore(join(home, 'blobs'));
  const { predictions } = rows[0]!;
  const file = await asyncBufferFromFile(await blobs.path(predictions));
  const { num_rows: answers } = await parquetMetadataAsync(file);
  return file.byteLength / Number(answers);
}
