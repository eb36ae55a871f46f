import { describe, expect, it } from '@jest/globals';
import { TimeProjection } from './time-projection.js';

describe('TimeProjection', () => {
  /** The codes after each of `batches` batches of 64 that took this many seconds, two at a time. */
  async function codes(batches: readonly number[], { examples = 64_000, left = 100, contended = false } = {}) {
    const projection = new TimeProjection({ left, seconds: 3600 }, () => Promise.resolve(contended));
    projection.begin(examples);
    const found: (string | null)[] = [];
    for (const seconds of batches) found.push((await projection.add(64, seconds * 1000, 2))?.code ?? null);
    return found;
  }
  const slow = Array<number>(20).fill(1);

  it('fails a model after 20 batches if the rest needs more than twice the time left', async () => {
    // 980 batches of 0.5 s: 490 s
    expect(await codes(slow)).toEqual([...Array<null>(19).fill(null), 'too_slow']);
    expect(await codes(slow, { left: 246 })).toEqual(Array(20).fill(null));
  });

  it('counts on the fastest batch', async () => {
    expect(await codes([0.1, ...slow])).toEqual(Array(21).fill(null));
  });

  it('projects nothing under contention', async () => {
    expect(await codes(slow, { contended: true })).toEqual(Array(20).fill(null));
  });

  it('needs 20 more batches after a contended pass', async () => {
    const projection = new TimeProjection({ left: 100, seconds: 3600 }, () => Promise.resolve(false));
    projection.begin(64_000);
    for (let batch = 0; batch < 19; batch++) await projection.add(64, 1000, 2);

    projection.restart();
    for (let batch = 0; batch < 19; batch++) expect(await projection.add(64, 1000, 2)).toBeNull();
    expect(await projection.add(64, 1000, 2)).toMatchObject({ code: 'too_slow' });
  });

  it('projects for the rest of the run only', async () => {
    expect(await codes(slow, { examples: 64 * 400 })).toEqual(Array(20).fill(null));
  });
});
