import { Readable } from 'node:stream';
import { TaskDefinition, type TaskDefinitionInput } from '@assay/contracts/tasks';
import { describe, expect, it } from '@jest/globals';
import { inputVariants } from './input-variants.js';

describe('inputVariants', () => {
  const task = (inputs: TaskDefinitionInput['inputs'], language = 'en') =>
    TaskDefinition.parse({
      ...{ slug: 'tone', name: 'Tone', inputs, language, performance: 'accuracy' },
      output: { name: 'label', type: 'label', labels: ['good', 'bad'] },
    });
  const review = task([
    { name: 'text', type: 'text' },
    { name: 'stars', type: 'number' },
  ]);

  async function variantsOf(definition: TaskDefinition, rows: readonly object[], count: number, seed = 'a run') {
    const instances = () => Readable.from([rows.map((row) => ({ instance: JSON.stringify(row) }))]);
    return Array.fromAsync(inputVariants(definition, instances, { count, seed }));
  }

  const rows = Array.from({ length: 5 }, (_, stars) => ({
    text: `The weather was splendid again, day ${stars}`,
    stars,
  }));

  it('gives as many different inputs as are wanted, with other texts and all other fields', async () => {
    const variants = await variantsOf(review, rows, 60);

    expect(new Set(variants).size).toBe(60);
    const originals = new Set(rows.map(({ text }) => text));
    for (const { text, stars, ...more } of variants.map((each) => JSON.parse(each) as (typeof rows)[number])) {
      expect(more).toEqual({});
      expect(text).toMatch(new RegExp(`${stars}$`));
      expect(originals.has(text)).toBe(false);
      expect(text).toHaveLength(rows[0]!.text.length);
    }
    expect(await variantsOf(review, rows, 60)).toEqual(variants);
    expect(await variantsOf(review, rows, 60, 'another run')).not.toEqual(variants);
  });

  it('varies short texts more, and ends where texts have no variants', async () => {
    expect(
      await variantsOf(
        review,
        [
          { text: 'word', stars: 1 },
          { text: 'few', stars: 2 },
        ],
        50,
      ),
    ).toHaveLength(50);
    expect(await variantsOf(review, [{ text: '1 2 3', stars: 1 }], 10)).toEqual([]);
    expect(await variantsOf(review, [], 10)).toEqual([]);
  });

  it('gives none of inputs without text', async () => {
    expect(await variantsOf(task([{ name: 'stars', type: 'number' }]), [{ stars: 3 }], 10)).toEqual([]);
  });
});
