import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import { bodyOf, encodedBody, type ResponseBody } from './encoded-body.js';

const body = (text: string): ResponseBody => bodyOf(Buffer.from(text));
const LONG = body('{"rows":[{"rank":1},'.repeat(1000));

describe('a body in an encoding', () => {
  it.each([
    ['br', brotliDecompressSync],
    ['gzip', gunzipSync],
  ] as const)('is the same bytes once it is decoded: %s', async (encoding, decode) => {
    const { bytes } = await encodedBody(LONG, encoding);

    expect(decode(bytes).equals(LONG.bytes)).toBe(true);
    expect(bytes.length).toBeLessThan(LONG.bytes.length / 10);
  });

  it('is itself where nothing is compressed', async () => {
    expect(await encodedBody(LONG, 'identity')).toBe(LONG);
  });

  it('has a tag of its own, in each', async () => {
    const bodies = await Promise.all((['br', 'gzip', 'identity'] as const).map((each) => encodedBody(LONG, each)));
    const tags = bodies.map(({ etag }) => etag);

    expect(new Set(tags).size).toBe(3);
    expect(tags.filter((tag) => !/^"[\w-]+"$/.test(tag))).toEqual([]);
    expect((await encodedBody(body('{}'), 'br')).etag).not.toBe(tags[0]);
  });

  it('is compressed once, also for many who ask at once', async () => {
    const fresh = body('[1,2,3]');
    const [one, other] = await Promise.all([encodedBody(fresh, 'br'), encodedBody(fresh, 'br')]);

    expect(one).toBe(other);
    expect(await encodedBody(fresh, 'br')).toBe(one);
  });
});
