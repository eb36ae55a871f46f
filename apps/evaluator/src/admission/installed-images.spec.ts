import { describe, expect, it } from '@jest/globals';
import { InstalledImages } from './installed-images.js';

describe('InstalledImages', () => {
  const engine = (inUse: ReadonlySet<string> = new Set()) => {
    const removed: string[] = [];
    const uninstall = (digest: string) => {
      if (inUse.has(digest)) return Promise.reject(new Error('in use'));
      removed.push(digest);
      return Promise.resolve();
    };
    return { uninstall, removed };
  };

  it('removes the image that was used longest ago', async () => {
    const driver = engine();
    const images = new InstalledImages(driver, 2);
    for (const digest of ['a', 'b', 'a', 'c']) await images.use(digest);

    expect(driver.removed).toEqual(['b']);
  });

  it('tries again later what cannot be removed now', async () => {
    const inUse = new Set(['a']);
    const driver = engine(inUse);
    const images = new InstalledImages(driver, 1);
    await images.use('a');
    await images.use('b');
    inUse.clear();
    await images.use('c');

    expect(driver.removed).toEqual(['a', 'b']);
  });
});
