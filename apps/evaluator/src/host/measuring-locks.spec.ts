import { randomBytes } from 'node:crypto';
import type { Held } from '@assay/persistence/locks';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { measuringLocks, type MeasuringLocks } from './measuring-locks.js';

const never = new AbortController().signal;

describe('the measuring lock', () => {
  let locks: MeasuringLocks;
  const held: Held[] = [];

  beforeEach(() => {
    locks = measuringLocks(randomBytes(6).toString('hex'));
  });
  afterEach(async () => {
    for (const each of held.splice(0)) await each.release();
  });

  async function kept<T extends Held | null>(lock: Promise<T>): Promise<T> {
    const acquired = await lock;
    if (acquired) held.push(acquired);
    return acquired;
  }

  it('is shared by runs on readable data', async () => {
    await kept(locks.answering(never));
    await kept(locks.answering(never));

    expect(await kept(locks.tryMeasuring())).toBeNull();
  });

  it('is shared only under the same scope, however long its name is', async () => {
    const scope = randomBytes(60).toString('hex');
    await kept(measuringLocks(scope).answering(never));

    expect(await kept(measuringLocks(scope).tryMeasuring())).toBeNull();
    expect(await kept(measuringLocks(`${scope}0`).tryMeasuring())).not.toBeNull();
  });

  it('is held alone by a run on hidden data, which waits for the others and lets no further one pass', async () => {
    const readable = await locks.answering(never);
    const order: string[] = [];
    const hidden = kept(locks.measuring(never)).then((lock) => {
      order.push('hidden');
      return lock;
    });
    const later = kept(locks.answering(never)).then(() => order.push('readable'));
    order.push('released');
    await readable.release();

    await (await hidden).release();
    held.splice(0);
    await later;

    expect(order).toEqual(['released', 'hidden', 'readable']);
  });

  it('is not kept by a run on hidden data that gives up', async () => {
    const readable = await kept(locks.answering(never));
    const leaving = new AbortController();
    const hidden = locks.measuring(leaving.signal);
    leaving.abort(new Error('the lease is lost'));
    await expect(hidden).rejects.toThrow();

    await readable.release();
    held.splice(0);
    expect(await kept(locks.tryMeasuring())).not.toBeNull();
  });

  it('is not acquired for a measurement while it is held', async () => {
    const measurement = await kept(locks.tryMeasuring());
    expect(measurement).not.toBeNull();
    expect(await kept(locks.tryMeasuring())).toBeNull();

    await measurement!.release();
    held.splice(0);
    await kept(locks.answering(never));
    expect(await kept(locks.tryMeasuring())).toBeNull();
  });
});
