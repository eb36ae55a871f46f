import { signal } from '@angular/core';
import { expect, it } from '@jest/globals';
import { type CursorPage, growingList } from './audit-page.js';

it('grows by its next pages until there is none', async () => {
  const list = growingList(signal<CursorPage<number>>({ items: [1, 2], nextCursor: 'b' }));
  const asked: string[] = [];
  const read = (cursor: string): Promise<CursorPage<number>> => {
    asked.push(cursor);
    return Promise.resolve({ items: [3] });
  };
  await list.more(read);
  await list.more(read);
  expect(list.page()).toEqual({ items: [1, 2, 3] });
  expect(asked).toEqual(['b']);
});

it('leaves a page out that comes when the list has begun again', async () => {
  const first = signal<CursorPage<number>>({ items: [1], nextCursor: 'b' });
  const list = growingList(first);
  let answer: (page: CursorPage<number>) => void = () => undefined;
  const reading = list.more(() => new Promise((resolve) => (answer = resolve)));
  first.set({ items: [7] });
  answer({ items: [2] });
  await reading;
  expect(list.page()).toEqual({ items: [7] });
});
