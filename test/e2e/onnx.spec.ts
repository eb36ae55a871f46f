import type { LoopView } from '@assay/contracts/boards';
import type { EvaluationView, ModelView } from '@assay/contracts/models';
import { beforeAll, expect, it, jest } from '@jest/globals';
import { bundleOf } from '../factories/models/onnx-bundles.js';
import type { ServiceClient } from '../factories/worlds/service-client.js';
import { describeWithRealData, sharedLines, sharedPath, sharedText } from '../factories/worlds/shared-folder.js';
import { sharedService } from '../factories/worlds/shared-service.js';

jest.setTimeout(600_000);

const TASK = 'onnx-hate';

describeWithRealData('an ONNX model and two files of predictions, on the data they were made for', () => {
  const submitted = new Map<string, string>();
  const models = new Map<string, ModelView>();
  let world: ServiceClient;

  beforeAll(async () => {
    world = await sharedService();
    await world.task({
      slug: TASK,
      name: 'Hate speech',
      inputs: [{ name: 'text', type: 'text' }],
      output: { name: 'label', type: 'label', labels: ['hateful', 'not-hateful'] },
      performance: 'accuracy',
      metrics: ['macro_f1'],
      slices: ['target'],
      weights: { accuracy: 1 },
      quota: { perDay: 10 },
    });
    await world.dataset(TASK, 'hatecheck', 'visibility=public', sharedText('data/hate/hatecheck.jsonl'));
    // perturbations.spec.ts and the runner's own spec (sandboxes/onnx-runner) score the other
    // models
    const bundle = await bundleOf(sharedPath('models', 'hate-bow'));
    submitted.set('hate-bow', await world.submit(TASK, { name: 'hate-bow', kind: 'onnx' }, bundle));
    for (const name of ['bert-davidson2017', 'bert-founta2018']) {
      const predictions = sharedLines<{ id: number; label: string }>('data/hate/predictions', `${name}.jsonl`);
      const lines = predictions.map(({ id, label }) => ({ dataset: 'hatecheck', id: String(id), prediction: label }));
      const file = Buffer.from(lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
      submitted.set(name, await world.submit(TASK, { name, kind: 'predictions' }, file));
    }
    for (const [name, id] of submitted) models.set(name, (await world.untilFinal(id)).model);
  });

  it.each([
    ['hate-bow', { accuracy: 58.5, macro_f1: 52.23 }],
    ['bert-davidson2017', { accuracy: 63.17, macro_f1: 55.86 }],
    ['bert-founta2018', { accuracy: 60.19, macro_f1: 56.29 }],
  ])('gives %s the scores that it has', (name, expected) => {
    expect(models.get(name)).toMatchObject({ state: 'scored' });
    expect(percents(evaluationOf(name))).toMatchObject(expected);
  });

  it('measures what runs, and nothing of what does not', () => {
    expect(evaluationOf('hate-bow').measures.throughput).toBeGreaterThan(10);
    expect(evaluationOf('bert-founta2018').measures).toEqual({});
  });

  it('can put what runs in the loop, and never a file of predictions', async () => {
    const board = await world.board(TASK, ({ rows }) => rows.length === 3);
    const loop = (await world.call('GET', `/tasks/${TASK}/loop`)).body as LoopView;

    expect(board.rows.map(({ model }) => model.name)).toEqual(['bert-davidson2017', 'bert-founta2018', 'hate-bow']);
    // all of them are worse than always answering that a text is hateful
    expect(board.rows.map(({ rank, belowBaseline }) => [rank, belowBaseline])).toEqual(Array(3).fill([null, true]));
    expect(loop.models).toMatchObject([
      {
        model: { name: 'hate-bow' },
        evidence: { rank: null, warning: 'No model is better than the baseline; the best one was promoted.' },
      },
    ]);
  });

  it('leaves nothing of the runs behind', async () => {
    expect(await world.residue()).toEqual([]);
  });

  function evaluationOf(name: string): EvaluationView {
    return models.get(name)!.evaluations[0]!;
  }
});

const percents = ({ metrics }: EvaluationView): Record<string, number> =>
  Object.fromEntries(Object.entries(metrics).map(([metric, { value }]) => [metric, Math.round(value * 10_000) / 100]));
