import { parseAnswer } from '@assay/contracts';
import { TaskDefinition, type TaskDefinitionInput } from '@assay/contracts/tasks';
import { ScoreComputation } from '@assay/evaluation/scoring';
import { seededRng } from '@assay/kernel';
import { datasetRows } from '@assay/tasks/examples';
import { Readable } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import { sampleScore } from './sample-score.js';

const SEED = 'a'.repeat(64);
const LABELS = ['no', 'yes'];
const COMMON = { slug: 'task', name: 'Task', inputs: [{ name: 'text', type: 'text' as const }] };
const LABEL: TaskDefinitionInput = {
  ...COMMON,
  output: { name: 'label', type: 'label', labels: LABELS },
  performance: 'accuracy',
};
const rng = seededRng('predictions');
const lines = Array.from({ length: 60 }, (_, n) =>
  JSON.stringify({ id: n, text: `text ${n}`, source: n % 7, label: LABELS[n % 2], words: `one two ${n % 3}` }),
);
const labels = lines.map(() => {
  const yes = rng.next();
  return { label: yes > 0.5 ? 'yes' : 'no', probabilities: { no: 1 - yes, yes } };
});

/** Returns the performance metric of the same answers as the service computes it. */
async function servedScore(definition: TaskDefinition, predictions: readonly unknown[]): Promise<unknown> {
  const blobs = { put: () => Promise.resolve({ digest: SEED, size: 0 }) };
  const computation = new ScoreComputation(definition, { digest: SEED, transforms: null }, blobs);
  for await (const rows of datasetRows(definition, Readable.from([Buffer.from(lines.join('\n'))]))) {
    const answers = rows.map(({ index }) => {
      const outcome = parseAnswer(definition.output, predictions[index]);
      return outcome.ok ? outcome.answer : null;
    });
    await computation.add(rows, answers);
  }
  return (await computation.finish()).metrics[definition.performance];
}

describe('the score of a check', () => {
  it.each<[string, TaskDefinitionInput, readonly unknown[]]>([
    ['accuracy', LABEL, labels],
    ['a metric with resampled intervals', { ...LABEL, performance: 'macro_f1' }, labels],
    ['a metric of probabilities', { ...LABEL, performance: 'brier' }, labels],
    ['examples that are not independent', { ...LABEL, cluster: 'source' }, labels],
    [
      'texts',
      { ...COMMON, output: { name: 'words', type: 'text' }, performance: 'rouge_l' },
      lines.map((_, n) => `one ${n % 2}`),
    ],
  ])('has the digits of the service: %s', async (_name, input, predictions) => {
    const definition = TaskDefinition.parse(input);
    const score = await sampleScore(definition, { lines, seed: SEED }, predictions);

    expect(score).toEqual({
      metric: definition.performance,
      n: lines.length,
      ...((await servedScore(definition, predictions)) as object),
    });
  });

  it('is null if an example has no gold', async () => {
    const definition = TaskDefinition.parse(LABEL);
    expect(await sampleScore(definition, { lines: ['{"text":"t"}'], seed: SEED }, labels)).toBeNull();
    expect(await sampleScore(definition, { lines: [], seed: SEED }, [])).toBeNull();
  });

  it('is null if the answers do not define the metric', async () => {
    const definition = TaskDefinition.parse({ ...LABEL, performance: 'brier' });
    expect(
      await sampleScore(
        definition,
        { lines, seed: SEED },
        lines.map(() => 'yes'),
      ),
    ).toBeNull();
  });
});
