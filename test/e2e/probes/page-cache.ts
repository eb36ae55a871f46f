import { randomInt } from 'node:crypto';
import type { Visibility } from '@assay/contracts/datasets';
import { LayerPages } from '@assay/sandbox/docker';
import { beforeAll, expect, it } from '@jest/globals';
import { TOUCHED } from '../../../sandboxes/probes/image.js';
import { PARITY_TASK } from '../../factories/models/parity-task.js';
import type { ProbeWorld } from './harness.js';

const TASK = 'pages';

/**
 * Registers the tests of a channel through the page cache, from a model to the model of another
 * account. Their images have the same layers.
 */
export function pageCache(world: () => ProbeWorld): void {
  let probes: ProbeWorld;
  let writer: string;
  let readable: readonly boolean[];
  let reads = 0;
  const words = [TOUCHED.path, String(TOUCHED.stride)];

  beforeAll(async () => {
    probes = world();
    await probes.world.task({
      slug: TASK,
      ...PARITY_TASK,
      name: 'Even or odd, on pages',
    });
    await new LayerPages(probes.world.engine).evict(probes.modelImage);
    readable = await putBits('public');
    writer = await probes.send(['page-cache-writer', ...words], TASK);
    expect((await probes.verdict(writer)).state).toBe('scored');
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

  /** Returns the log of a model of another account that reads the page cache. */
  async function read(): Promise<string> {
    reads++;
    const id = await probes.send(
      ['page-cache-reader', ...words, String(TOUCHED.pages), String(reads)],
      'parity',
      'ben',
    );
    expect((await probes.verdict(id, 'ben')).state).toBe('scored');
    return probes.logOf(id, 'ben');
  }

  it('finds in the page cache what readable data had another model touch: there is a channel', async () => {
    expect(bitsIn(await read())).toEqual(readable);
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
