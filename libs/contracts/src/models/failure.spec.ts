import { describe, expect, it } from '@jest/globals';
import { failure } from './failure.js';

describe('failure', () => {
  it('keeps no character that a database refuses, a terminal obeys or a reader is misled by', () => {
    const { message } = failure('unknown_label', 'predictions[0] is "e\0v\ud800e\u001b[2Jn\u202e\u2066".');

    expect(message).toBe('predictions[0] is "e\ufffdv\ufffde\ufffd[2Jn\ufffd\ufffd".');
  });

  it('leaves every language as it is', () => {
    const text = 'It is "नमस्ते", "שלום", "مرحبا\u200c", "👩\u200d🚀" or "é".';
    expect(failure('unknown_label', text).message).toBe(text);
  });
});
