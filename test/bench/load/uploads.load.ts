import { execFileSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, open, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { LocalBlobStore } from '@assay/storage';
import { cliIn } from '../../factories/services/cli-runner.js';
import type { Bench, BenchContext, BenchRow } from '../bench.js';
import type { BenchService } from '../bench-service.js';
import { examplesFile } from '../examples-file.js';
import { MIB } from '../process-memory.js';
import { figure, seconds } from '../samples.js';
import { treeUse, type TreeUse } from './process-tree.js';

const AT_ONCE = 4;
/** The memory limit in MiB. */
const MOST = 128;
/** Milliseconds between two samples of the memory. */
const LOOK = 100;
const FULL_SIZE = 2 ** 31;
/**
 * The size of the first uploads. They make V8 compile the code and allocate buffers that stay, so
 * that the size of the later ones is measured alone.
 */
const FIRST_SIZE = 16 * MIB;

/**
 * Large concurrent uploads with the CLI: their effect on the API's memory, and whether they arrive
 * intact.
 */
export const uploadsLoad: Bench = {
  name: 'uploads',
  async run(context) {
    const service = await context.service();
    const { world } = service;
    const task = await service.task(await examplesFile(context.folder, 200, 'uploads'));
    // removes leftovers of other benches from the process
    await world.restartApi();
    const fresh = treeUse(world.api.pid);
    // the uploads are not images; the evaluator must not spend time on finding that out
    await world.stopEvaluator();
    try {
      await uploaded(context, service, task, FIRST_SIZE);
      const before = await atRest(world.api.pid);
      const most = watched(world.api.pid);
      const large = await uploaded(context, service, task, context.quick ? 64 * MIB : FULL_SIZE);
      return [rowOf(fresh, before, most(), large)];
    } finally {
      // so that the next load does not wait for the disk to free this one's files
      execFileSync('sync');
      await world.startEvaluator();
    }
  },
};

interface Uploaded {
  /** The size of each artifact in bytes. */
  readonly size: number;
  readonly seconds: number;
  /** The number of artifacts whose file, blob and row all have the same digest. */
  readonly whole: number;
}

async function uploaded(
  { folder, say }: BenchContext,
  { world }: BenchService,
  task: string,
  size: number,
): Promise<Uploaded> {
  const homes = await Promise.all(
    Array.from({ length: AT_ONCE }, async (_, index) => {
      const home = join(folder, `uploader-${index}`);
      await mkdir(home, { recursive: true });
      const path = join(home, 'model.tar');
      await noise(path, size);
      const run = cliIn(home);
      const token = join(home, 'token');
      await writeFile(token, await world.user(`uploader-${index}`), { mode: 0o600 });
      await ended(run('login', '--url', world.url, '--token', token));
      return { path, run };
    }),
  );
  const names = homes.map((_, index) => `upload ${index} of ${size}`);
  const taken = await seconds(() =>
    Promise.all(
      homes.map(({ path, run }, index) =>
        ended(run('submit', task, path, '--kind', 'container', '--name', names[index]!, '--no-wait')),
      ),
    ),
  );
  let whole = 0;
  for (const [index, { path }] of homes.entries()) {
    const digest = await digestOf(path);
    await rm(path);
    whole += Number(await isStored(world, names[index]!, digest));
    // cancels the model: its bytes are deleted
    const [model] = await world.rows<{ id: string }>('select id from model where name = $1', [names[index]]);
    await world.expect(200, 'POST', `/models/${model!.id}/cancel`, { token: world.admin });
  }
  say(`  ${AT_ONCE} of ${figure(size / MIB)} MiB at once: ${figure(taken)} s, ${whole} with the right digest`);
  return { size, seconds: taken, whole };
}

/**
 * Returns whether the artifact's row and blob have the digest of the file that was sent. Removes
 * the blob.
 */
async function isStored(world: BenchService['world'], name: string, digest: string): Promise<boolean> {
  const [row] = await world.rows<{ digest: string }>(
    `select a.digest from model m join run_specification s on s.id = m.specification_id join artifact a on a.id = s.artifact_id
      where m.name = $1`,
    [name],
  );
  const blob = await new LocalBlobStore(join(world.home, 'blobs')).path(digest);
  const kept = await digestOf(blob);
  await rm(blob);
  return row?.digest === digest && kept === digest;
}

async function ended(command: ReturnType<ReturnType<typeof cliIn>>): Promise<void> {
  const { code, stdout, stderr } = await command;
  if (code !== 0) throw new Error(`the command ended with ${code}: ${stdout}${stderr}`);
}

async function digestOf(path: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path, { highWaterMark: MIB }), hash);
  return hash.digest('hex');
}

/** Writes a file with content that no other file has, from one random block that is reused. */
async function noise(path: string, size: number): Promise<void> {
  const block = randomBytes(MIB);
  const file = await open(path, 'w');
  for (let offset = 0; offset < size; offset += MIB) {
    block.writeBigUInt64LE(BigInt(offset));
    await file.write(block);
  }
  await file.close();
}

/** Returns the minimum use of the process over two seconds at rest. */
async function atRest(pid: number): Promise<TreeUse> {
  const looks: TreeUse[] = [];
  for (let look = 0; look < 20; look++) {
    looks.push(treeUse(pid));
    await new Promise((resolve) => setTimeout(resolve, LOOK));
  }
  return { ...looks[0]!, rss: Math.min(...looks.map(({ rss }) => rss)), pss: Math.min(...looks.map(({ pss }) => pss)) };
}

/**
 * Samples the process from now on.
 * @returns A function that stops the sampling and returns the maximum.
 */
function watched(pid: number): () => Pick<TreeUse, 'rss' | 'pss'> {
  const most = { rss: 0, pss: 0 };
  const timer = setInterval(() => {
    const { rss, pss } = treeUse(pid);
    most.rss = Math.max(most.rss, rss);
    most.pss = Math.max(most.pss, pss);
  }, LOOK);
  return () => {
    clearInterval(timer);
    return most;
  };
}

function rowOf(fresh: TreeUse, before: TreeUse, most: Pick<TreeUse, 'rss' | 'pss'>, large: Uploaded): BenchRow {
  const [rss, pss] = [(most.rss - before.rss) / MIB, (most.pss - before.pss) / MIB];
  const sent = `${AT_ONCE} uploads of ${figure(large.size / 2 ** 30)} GiB at once by the command line tool`;
  const rate = (AT_ONCE * large.size) / 1e6 / large.seconds;
  return {
    what: `${sent}: the API's memory at most over that before; digests right`,
    goal: `≤ + ${MOST} MiB; ${AT_ONCE}`,
    measured:
      `+ ${figure(rss)} MiB resident (${figure(before.rss / MIB)} → ${figure(most.rss / MIB)}; ` +
      `+ ${figure(pss)} MiB proportional); ${large.whole}; ${figure(rate)} MB/s, digests and syncs included`,
    reached: Math.max(rss, pss) <= MOST && large.whole === AT_ONCE,
    figures: {
      uploadBytes: large.size,
      uploadSeconds: large.seconds,
      freshResidentBytes: fresh.rss,
      residentBytesBefore: before.rss,
      residentBytesAtMost: most.rss,
      proportionalBytesBefore: before.pss,
      proportionalBytesAtMost: most.pss,
      digestsRight: large.whole,
    },
  };
}
