import { describe, expect, it } from '@jest/globals';
import { quotaSentence } from './failure-headlines.js';

describe('quotaSentence', () => {
  it('counts what the model did wrong while it ran, and nothing else', () => {
    expect(quotaSentence({ code: 'out_of_memory', fault: 'model' })).toBe('It counts as one submission of the quota.');
    for (const failure of [
      { code: 'not_an_image', fault: 'model' },
      { code: 'dataset_unavailable', fault: 'task' },
      { code: 'platform_failed', fault: 'platform' },
    ] as const) {
      expect(quotaSentence(failure)).toBe('Nothing was counted against the quota.');
    }
  });
});
