import { signal } from '@angular/core';
import { describe, expect, it } from '@jest/globals';
import { cursorPages } from './pager.js';

describe('cursorPages', () => {
  it('goes forward by cursors and back the same way', () => {
    const pages = cursorPages(() => 'errors');
    pages.next('20');
    pages.next('40');
    expect([pages.cursor(), pages.number()]).toEqual(['40', 3]);
    pages.back();
    expect(pages.cursor()).toBe('20');
    pages.back();
    expect([pages.cursor(), pages.number()]).toEqual([undefined, 1]);
  });

  it('begins again when something else is asked', () => {
    const question = signal('errors');
    const pages = cursorPages(question);
    pages.next('20');
    question.set('all');
    expect(pages.cursor()).toBeUndefined();
  });
});
