import type { EvaluationView, LoopView, ModelView } from '@assay/contracts';
import { beforeAll, expect, it, jest } from '@jest/globals';
import { bundleOf } from '../factories/onnx-bundles.js';
import type { ServiceClient } from '../factories/service-client.js';
import { describeWithRealData, sharedLines, sharedPath, sharedText } from '../factories/shared-folder.js';
import { sharedService } from '../factories/shared-service.js';

jest.setTimeout(600_000);

const QUOTA = { perDay: 10 };

describeWithRealData('two ONNX models and two files of predictions, on the data they were made for', () => {
  const submitted = new Map<string, string>();
  const models = new Map<string, ModelView>();
  let world: ServiceClient;

  beforeAll(async () => {
    world = await sharedService();
    await takeInTasks();
    // the runner's own spec (sandboxes/onnx-runner) scores the other models
    await submitBundle('onnx-sentiment', 'sentiment-bow');
    await submitBundle('onnx-hate', 'hate-bow');
    for (const name of ['bert-davidson2017', 'bert-founta2018']) {
      const predictions = sharedLines<{ id: number; label: string }>('data/hate/predictions', `${name}.jsonl`);
      const lines = predictions.map(({ id, label }) => ({ dataset: 'hatecheck', id: String(id), prediction: label }));
      const file = Buffer.from(lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
      submitted.set(name, await world.submit('onnx-hate', { name, kind: 'predictions' }, file));
    }
    for (const [name, id] of submitted) models.set(name, (await world.untilFinal(id)).model);
  });

  it.each([
    ['sentiment-bow', { accuracy: 64.03 }],
    ['hate-bow', { accuracy: 58.5, macro_f1: 52.23 }],
    ['bert-davidson2017', { accuracy: 63.17, macro_f1: 55.86 }],
    ['bert-founta2018', { accuracy: 60.19, macro_f1: 56.29 }],
  ])('gives %s the scores that it has', (name, expected) => {
    expect(models.get(name)).toMatchObject({ state: 'scored' });
    expect(percents(evaluationOf(name))).toMatchObject(expected);
  });

  it('measures what runs, and nothing of what does not', () => {
    expect(evaluationOf('sentiment-bow').measures.throughput).toBeGreaterThan(10);
    expect(evaluationOf('bert-founta2018').measures).toEqual({});
  });

  it('can put what runs in the loop, and never a file of predictions', async () => {
    const board = await world.board('onnx-hate', ({ rows }) => rows.length === 3);
    const loop = (await world.call('GET', '/tasks/onnx-hate/loop')).body as LoopView;

    expect(board.rows.map(({ model }) => model.name)).toEqual(['bert-davidson2017', 'bert-founta2018', 'hate-bow']);
    expect(loop.models.map(({ model }) => model.name)).toEqual(['hate-bow']);
  });

  it('leaves nothing of the runs behind', async () => {
    expect(await world.residue()).toEqual([]);
  });

  async function submitBundle(task: string, name: string): Promise<void> {
    submitted.set(name, await world.submit(task, { name, kind: 'onnx' }, await bundleOf(sharedPath('models', name))));
  }

  function evaluationOf(name: string): EvaluationView {
    return models.get(name)!.evaluations[0]!;
  }

  async function takeInTasks(): Promise<void> {
    const text = { type: 'text' } as const;
    const performance = 'accuracy';
    await world.task({
      slug: 'onnx-sentiment',
      name: 'Sentiment',
      inputs: [{ name: 'text', ...text }],
      output: { name: 'label', type: 'label', labels: ['negative', 'neutral', 'positive'] },
      performance,
      quota: QUOTA,
    });
    await world.task({
      slug: 'onnx-hate',
      name: 'Hate speech',
      inputs: [{ name: 'text', ...text }],
      output: { name: 'label', type: 'label', labels: ['hateful', 'not-hateful'] },
      performance,
      metrics: ['macro_f1'],
      slices: ['target'],
      weights: { accuracy: 1 },
      quota: QUOTA,
    });
    const visible = 'visibility=public';
    await world.dataset('onnx-sentiment', 'sst3', visible, sharedText('data/sentiment/sst3.test.jsonl'));
    await world.dataset('onnx-hate', 'hatecheck', visible, sharedText('data/hate/hatecheck.jsonl'));
  }
});

const percents = ({ metrics }: EvaluationView): Record<string, number> =>
  Object.fromEntries(Object.entries(metrics).map(([metric, { value }]) => [metric, Math.round(value * 10_000) / 100]));
