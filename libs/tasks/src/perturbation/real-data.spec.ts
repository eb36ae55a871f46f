import { FAIRNESS_TRANSFORMS, ROBUSTNESS_TRANSFORMS, TaskDefinition } from '@assay/contracts/tasks';
import { expect, it } from '@jest/globals';
import { describeWithRealData, sharedLines } from '../../../../test/factories/worlds/shared-folder.js';
import { readExample } from '../examples/example.js';
import { perturbedFields } from './generated-variants.js';
import { transformsFor } from './transforms.js';

const perturbations = { robustness: [...ROBUSTNESS_TRANSFORMS], fairness: [...FAIRNESS_TRANSFORMS] };

/** Returns the examples that each transform changes, as `[fields, perturbed fields]`. */
function perturbed(task: TaskDefinition, records: readonly object[]) {
  const transforms = [...transformsFor(task, 'robustness'), ...transformsFor(task, 'fairness')];
  return transforms.map((transform) => ({
    name: transform.name,
    changed: records.flatMap((record, place) => {
      const outcome = readExample(task, record, place);
      if (!outcome.ok) throw new Error(outcome.why);
      const after = perturbedFields(task, transform, 'digest', outcome.example);
      return after ? [{ before: outcome.example, after }] : [];
    }),
  }));
}

describeWithRealData('perturbed real examples', () => {
  it.each(['en', 'de', 'zh'])('keep the answers of XQuAD in %s in their contexts', (language) => {
    const task = TaskDefinition.parse({
      slug: 'qa',
      name: 'QA',
      language,
      inputs: ['question', 'context'].map((name) => ({ name, type: 'text' })),
      output: { name: 'answers', type: 'span', of: 'context' },
      performance: 'squad_f1',
      perturbations,
    });
    const records = sharedLines<object>('data', 'qa', `xquad.${language}.jsonl`).slice(0, 200);

    for (const { name, changed } of perturbed(task, records)) {
      for (const { before, after } of changed) {
        const context = String(after['context']);
        const lost = before.gold.filter((gold) => !context.includes(gold));
        expect([name, before.id, lost]).toEqual([name, before.id, []]);
        expect(after['answers']).toEqual(before.fields['answers']);
      }
    }
  });

  it('are enough of nearly every transform, on sentences of films', () => {
    const task = TaskDefinition.parse({
      slug: 'sst',
      name: 'Sentiment',
      inputs: [{ name: 'text', type: 'text' }],
      output: { name: 'label', type: 'label', labels: ['positive', 'neutral', 'negative'] },
      performance: 'accuracy',
      perturbations,
    });
    const counts = Object.fromEntries(
      perturbed(task, sharedLines<object>('data', 'sentiment', 'sst3.test.jsonl').slice(0, 500)).map(
        ({ name, changed }) => [name, changed.length],
      ),
    );

    for (const name of [
      'case',
      'punctuation',
      'whitespace',
      'zero_width',
      'homoglyphs',
      'typos',
      'swaps',
      'split_words',
    ]) {
      expect([name, counts[name]! > 480]).toEqual([name, true]);
    }
    expect(counts['misspellings']).toBeGreaterThan(300);
    expect(counts['contractions']).toBeGreaterThan(30);
    expect(counts['gender']).toBeGreaterThan(30);
    // its words are all in lower case, and so are its names
    expect(counts['names']).toBe(0);
  });
});
