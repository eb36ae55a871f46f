import { describe, expect, it } from '@jest/globals';
import { shownInput } from './example-inputs.js';

describe('shownInput', () => {
  it('shows texts as they are, pictures as pictures, and all else as JSON', () => {
    expect(shownInput('<b>dull</b>')).toEqual({ text: '<b>dull</b>' });
    expect(shownInput({ b64: 'AAAA', mediaType: 'image/png' })).toEqual({ picture: 'data:image/png;base64,AAAA' });
    expect(shownInput({ b64: 'AAAA', mediaType: 'text/html' })).toEqual({
      text: '{"b64":"AAAA","mediaType":"text/html"}',
    });
    expect(shownInput(3)).toEqual({ text: '3' });
  });
});
