import { beforeEach, describe, expect, it } from '@jest/globals';
import { type Draft, Drafts, isUnwritten } from './drafts.js';

const draft = (context: string, changedAt: number, more: Partial<Draft> = {}): Draft => ({
  key: `key-${context}`,
  context,
  input: { hypothesis: 'He never we' },
  label: 'neutral',
  span: null,
  attempt: 1,
  changedAt,
  ...more,
});

describe('drafts', () => {
  beforeEach(() => localStorage.clear());

  it('are stored by context, also when the page is opened again', () => {
    expect(new Drafts(localStorage, 'ada', 'nli').keep(draft('c1', 1))).toBe(true);
    expect(new Drafts(localStorage, 'ada', 'nli').of('c1')).toEqual(draft('c1', 1));
    expect(new Drafts(localStorage, 'ada', 'nli').of('c2')).toBeUndefined();
  });

  it('are those of one person in one task', () => {
    new Drafts(localStorage, 'ada', 'nli').keep(draft('c1', 1));
    expect(new Drafts(localStorage, 'kim', 'nli').newest()).toBeUndefined();
    expect(new Drafts(localStorage, 'ada', 'qa').of('c1')).toBeUndefined();
  });

  it('go on with the one that was written last', () => {
    const drafts = new Drafts(localStorage, 'ada', 'nli');
    drafts.keep(draft('c1', 5));
    drafts.keep(draft('c2', 9));
    drafts.keep(draft('c3', 7));
    expect(drafts.newest()?.context).toBe('c2');
    drafts.forget('c2');
    expect(drafts.newest()?.context).toBe('c3');
  });

  it('do not fill the browser: the oldest give way', () => {
    const drafts = new Drafts(localStorage, 'ada', 'nli');
    for (let number = 1; number <= 25; number += 1) drafts.keep(draft(`c${number}`, number));
    expect(localStorage.length).toBe(20);
    expect(drafts.of('c5')).toBeUndefined();
    expect(drafts.of('c6')).toBeDefined();
  });

  it('are passed over where somebody else has written there', () => {
    localStorage.setItem('draft:ada:nli:c1', 'no JSON');
    localStorage.setItem('draft:ada:nli:c2', 'null');
    const drafts = new Drafts(localStorage, 'ada', 'nli');
    expect(drafts.of('c1')).toBeUndefined();
    expect(drafts.newest()).toBeUndefined();
  });

  it('say that they are not kept where the browser has no room', () => {
    const full = Object.assign(Object.create(localStorage) as Storage, {
      setItem: () => {
        throw new DOMException('full', 'QuotaExceededError');
      },
    });
    expect(new Drafts(full, 'ada', 'nli').keep(draft('c1', 1))).toBe(false);
  });

  it('are worth nothing while nothing is written', () => {
    expect(isUnwritten(draft('c1', 1, { input: { hypothesis: ' ' } }))).toBe(true);
    expect(isUnwritten(draft('c1', 1, { input: {}, span: { start: 0, end: 4 } }))).toBe(false);
    expect(isUnwritten(draft('c1', 1, { input: {}, sent: 'id' }))).toBe(false);
    expect(isUnwritten(draft('c1', 1))).toBe(false);
  });
});
