import { describe, expect, it } from '@jest/globals';
import { comparedTexts } from './benchmark-version.js';

describe('comparedTexts', () => {
  const text = { name: 'answer', type: 'text' } as const;

  it('is empty for English, so that tasks without a language are unchanged', () => {
    for (const language of ['en', 'en-US', 'eng']) expect(comparedTexts({ output: text, language })).toEqual({});
    expect(comparedTexts({ output: text, language: 'en', normalise: [] })).toEqual({});
  });

  it('is empty for outputs that are no texts', () => {
    const output = { name: 'label', type: 'label' as const, labels: ['yes', 'no'] };
    expect(comparedTexts({ output, language: 'de', normalise: ['nfkc'] })).toEqual({});
  });

  it('names another language, and the normalisation once and in a fixed order', () => {
    expect(comparedTexts({ output: text, language: 'de-AT', normalise: ['quotes', 'nfkc', 'quotes'] })).toEqual({
      language: 'de-AT',
      normalise: ['nfkc', 'quotes'],
    });
  });
});
