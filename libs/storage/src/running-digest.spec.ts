import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { RunningDigests } from './running-digest.js';

describe('RunningDigests', () => {
  const bytes = Buffer.from('resumable uploads come in pieces');
  const whole = createHash('sha256').update(bytes).digest('hex');
  async function* pieces(from: number, to: number, failAt = Infinity): AsyncGenerator<Buffer> {
    for (let start = from; start < to; start += 5) {
      if (start >= failAt) throw new Error('cut');
      yield await Promise.resolve(bytes.subarray(start, Math.min(start + 5, to)));
    }
  }
  const drain = async (source: AsyncIterable<Buffer>) => {
    for await (const chunk of source) expect(chunk.length).toBeGreaterThan(0);
  };

  it('knows the digest of a file that came in pieces', async () => {
    const digests = new RunningDigests();
    await drain(digests.pass('a', 0, pieces(0, 10)));
    await drain(digests.pass('a', 10, pieces(10, bytes.length)));

    expect(digests.take('a', bytes.length)).toBe(whole);
    expect(digests.take('a', bytes.length)).toBeUndefined();
  });

  it('does not know it where a piece was cut, or came before it was asked', async () => {
    const digests = new RunningDigests();
    await expect(drain(digests.pass('a', 0, pieces(0, 20, 10)))).rejects.toThrow('cut');
    await drain(digests.pass('a', 10, pieces(10, bytes.length)));
    await drain(digests.pass('b', 5, pieces(5, bytes.length)));

    expect(digests.take('a', bytes.length)).toBeUndefined();
    expect(digests.take('b', bytes.length)).toBeUndefined();
  });

  it('does not know it before all bytes are there', async () => {
    const digests = new RunningDigests();
    await drain(digests.pass('a', 0, pieces(0, 10)));

    expect(digests.take('a', bytes.length)).toBeUndefined();
  });
});
