import { wrongInput } from '@assay/tasks/examples';
import { describe, expect, it } from '@jest/globals';
import { placeholderInstance } from './warm-up-instances.js';

describe('what a model is asked before it is ready', () => {
  const inputs = [
    { name: 'context', type: 'text' },
    { name: 'hypothesis', type: 'text' },
    { name: 'age', type: 'number' },
    { name: 'photo', type: 'image' },
  ] as const;

  it('has what a context gives, and nothing else of it', () => {
    const asked = JSON.parse(
      placeholderInstance({ inputs: [...inputs] }, { context: 'A cat sleeps.', prompt: 'Write!' }),
    );
    expect(asked).toMatchObject({ context: 'A cat sleeps.', hypothesis: expect.stringMatching(/\w/) });
    expect(Object.keys(asked)).toEqual(inputs.map(({ name }) => name));
  });

  it('has a value of its type for every other input', () => {
    const asked = JSON.parse(placeholderInstance({ inputs: [...inputs] }, {}));
    expect(inputs.map(({ name, type }) => wrongInput(type, asked[name]))).toEqual([null, null, null, null]);
    const image = Buffer.from(asked.photo.b64, 'base64');
    expect(image.subarray(1, 4).toString()).toBe('PNG');
  });
});
