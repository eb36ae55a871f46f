import { describe, expect, it } from '@jest/globals';
import { readPicture } from './model-talk.js';

describe('readPicture', () => {
  it('gives the bytes in base64 with their type', async () => {
    const file = new Blob([Uint8Array.of(1, 2, 3)], { type: 'image/png' });
    expect(await readPicture(file)).toEqual({ b64: 'AQID', mediaType: 'image/png' });
  });
});
