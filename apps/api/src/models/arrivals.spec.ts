import { describe, expect, it } from '@jest/globals';
import { type Announcement, Arrivals, type StorageState } from './arrivals.js';

const REFUSED = { code: 'storage_quota' };

/** Somebody who may have 100 bytes. */
function account({ artifacts = 0, uploads = {} }: { artifacts?: number; uploads?: Record<string, number> } = {}) {
  const kept = { artifacts, uploads, limit: 100 as number | null };
  const read = (): Promise<StorageState> => {
    const { artifacts, uploads, limit } = kept;
    return Promise.resolve({ use: { artifacts, datasets: 0, limit }, uploads: new Map(Object.entries(uploads)) });
  };
  const arrivals = new Arrivals(read);
  return { kept, open: (announcement?: Announcement) => arrivals.open('ann', announcement) };
}

describe('Arrivals', () => {
  it('reserve what they announce, for as long as they come', async () => {
    const { open } = account({ artifacts: 30 });
    const first = await open({ announced: 60 });
    await expect(open({ announced: 20 })).rejects.toMatchObject(REFUSED);
    first.end();
    await open({ announced: 70 });
  });

  it('admit of those that come at once as many as there is room for', async () => {
    const { open } = account();
    const opened = await Promise.allSettled([45, 45, 45].map((announced) => open({ announced })));
    expect(opened.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected']);
  });

  it('are cut off where they grow beyond the room together', async () => {
    const { open } = account({ artifacts: 10 });
    const [first, second] = [await open(), await open({ upload: 'model' })];
    await first.add(50);
    await second.add(40);
    await expect(second.add(1)).rejects.toMatchObject(REFUSED);
    await expect(first.add(1)).rejects.toMatchObject(REFUSED);
  });

  it('count once while they come on top of what an upload has already', async () => {
    const { open, kept } = account({ uploads: { one: 50, other: 20 } });
    const arrival = await open({ upload: 'one', from: 50 });
    await arrival.add(30);
    kept.uploads = { one: 80, other: 20 };
    // the same upload again, by the client that was cut off
    const again = await open({ upload: 'one', from: 80 });
    await expect(again.add(1)).rejects.toMatchObject(REFUSED);
  });

  it('count once when they are kept', async () => {
    const { open, kept } = account();
    const slow = await open();
    const quick = await open({ announced: 60 });
    kept.artifacts = 60;
    quick.end();
    await slow.add(40);
    await expect(slow.add(1)).rejects.toMatchObject(REFUSED);
  });

  it('count until it is known that they are not kept', async () => {
    const { open } = account();
    const [slow, quick] = [await open(), await open({ announced: 60 })];
    quick.end();
    await slow.add(100);
  });

  it('have all the room they want where there is no limit', async () => {
    const { open, kept } = account();
    kept.limit = null;
    await (await open({ announced: 1e12 })).add(2e12);
  });
});
