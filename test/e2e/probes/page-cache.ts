import { randomInt } from 'node:crypto';
import type { Visibility } from '@assay/contracts/datasets';
import { LayerPages } from '@assay/sandbox/docker';
import { beforeAll, expect, it } from '@jest/globals';
import { TOUCHED } from '../../../sandboxes/probes/image.js';
import { PARITY_TASK } from '../../factories/models/parity-task.js';
import type { ProbeWorld } from './harness.js';

const TASK = 'pages';

/** The kernel may reclaim pages between the two models. The channel is noisy then, and is tried again. */
const TRIES = 3;

/**
 * Registers the tests of a channel through the page cache, from a model to the model of another
 * account. Their images have the same layers.
 */
export function pageCache(world: () => ProbeWorld): void {
  let probes: ProbeWorld;
  let writer: string;
  let readable: readonly boolean[];
  let models = 0;
  const words = [TOUCHED.path, String(TOUCHED.stride)];

  beforeAll(async () => {
    probes = world();
    await probes.world.task({
      slug: TASK,
      ...PARITY_TASK,
      name: 'Even or odd, on pages',
      runtime: 'runc',
    });
    readable = await putBits('public');
  });

  /**
   * Uploads a dataset whose rows are random bits.
   * @returns The bits.
   */
  async function putBits(visibility: Visibility): Promise<readonly boolean[]> {
    const bits = Array.from({ length: TOUCHED.pages }, () => randomInt(2) === 1);
    const lines = bits.map((bit, page) => {
      const text = String(page).padEnd(bit ? 4 : 5, 'x');
      return `${JSON.stringify({ id: page, text, label: bit ? 'even' : 'odd' })}\n`;
    });
    await probes.world.dataset(TASK, visibility, `visibility=${visibility}`, lines.join(''));
    return bits;
  }

  /** Has a new model touch the pages of the public dataset's bits. */
  async function touch(): Promise<void> {
    await new LayerPages(probes.world.engine).evict(probes.modelImage);
    writer = await probes.send(['page-cache-writer', ...words, String(++models)], TASK);
    expect((await probes.verdict(writer)).state).toBe('scored');
  }

  /** Returns the log of a model of another account that reads the page cache. */
  async function read(): Promise<string> {
    const id = await probes.send(
      ['page-cache-reader', ...words, String(TOUCHED.pages), String(++models)],
      'parity',
      'ben',
    );
    expect((await probes.verdict(id, 'ben')).state).toBe('scored');
    return probes.logOf(id, 'ben');
  }

  it('finds in the page cache what readable data had another model touch: there is a channel', async () => {
    let found: readonly boolean[] = [];
    for (let tried = 0; tried < TRIES && found.join() !== readable.join(); tried++) {
      await touch();
      found = bitsIn(await read());
    }
    expect(found).toEqual(readable);
  });

  it('finds nothing there of hidden data, and no system call looks into it', async () => {
    await putBits('hidden');
    // the service evaluates its existing models on a new dataset
    await probes.world.until(async () => {
      const { evaluations, run } = await probes.world.model(writer);
      return evaluations.length === 2 && !run;
    }, 180_000);
    expect((await probes.world.model(writer)).evaluations.map(({ state }) => state)).toEqual(['scored', 'scored']);

    const log = await read();
    expect(bitsIn(log)).not.toContain(true);
    const calls = [...log.matchAll(/^(\w+): (\d+)$/gm)].map(([, call, error]) => [call, Number(error)]);
    expect(calls).toHaveLength(6);
    // ENOSYS, or EPERM if the engine does not know the system call
    expect(calls.filter(([, error]) => error !== 38 && error !== 1)).toEqual([]);
  });
}

const bitsIn = (log: string): readonly boolean[] =>
  Array.from(/^cached ([01]+)$/m.exec(log)![1]!, (bit) => bit === '1');
