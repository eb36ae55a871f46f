import { describe, expect, it } from '@jest/globals';
import { failedProbes } from './health-check.js';

describe('failedProbes', () => {
  it('names what fails or does not answer, and why', async () => {
    const fine = (): Promise<void> => Promise.resolve();
    const broken = (): Promise<void> => Promise.reject(new Error('refused'));
    const silent = (): Promise<void> => new Promise(() => undefined);

    expect(await failedProbes({ database: fine })).toEqual(new Map());
    expect(await failedProbes({ database: fine, queue: broken, engine: silent }, 20)).toEqual(
      new Map([
        ['queue', 'refused'],
        ['engine', 'timeout of 20ms exceeded'],
      ]),
    );
  });
});
