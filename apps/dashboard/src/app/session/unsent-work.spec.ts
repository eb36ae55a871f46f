import { beforeEach, expect, it } from '@jest/globals';
import { Drafts } from '../annotate/drafts.js';
import { forgetWorkOf } from './unsent-work.js';

beforeEach(() => {
  localStorage.clear();
  sessionStorage.clear();
});

it('forgets what somebody has begun, and nothing of others or of the browser', () => {
  const draft = { key: 'k', context: 'c', input: {}, label: null, span: null, attempt: 1, changedAt: 1 };
  new Drafts(localStorage, 'ada', 'nli').keep(draft);
  new Drafts(localStorage, 'ada-two', 'nli').keep(draft);
  localStorage.setItem('theme', 'dark');
  sessionStorage.setItem('submission nli', '{"card":"secret"}');
  forgetWorkOf('ada');
  expect(Object.keys(localStorage).sort()).toEqual(['draft:ada-two:nli:c', 'theme']);
  expect(sessionStorage).toHaveLength(0);
});
