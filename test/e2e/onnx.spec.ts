import type { EvaluationView, LoopView, ModelView } from '@assay/contracts';
import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import { bundleOf } from '../factories/onnx-bundles.js';
import { ServiceWorld } from '../factories/service-world.js';
import { describeWithRealData, sharedLines, sharedPath, sharedText } from '../factories/shared-folder.js';

jest.setTimeout(600_000);

const QUOTA = { perDay: 10 };

describeWithRealData('five ONNX models and two files of predictions, on the data they were made for', () => {
  const submitted = new Map<string, string>();
  const models = new Map<string, ModelView>();
  let world: ServiceWorld;

  beforeAll(async () => {
    world = await ServiceWorld.start();
    await takeInTasks();
    await submitBundle('sentiment', 'sentiment-bow');
    await submitBundle('sentiment', 'sentiment-cnn');
    await submitBundle('hate', 'hate-bow');
    await submitBundle('nli', 'nli-pair');
    await submitBundle('qa', 'qa-span');
    for (const name of ['bert-davidson2017', 'bert-founta2018']) {
      const predictions = sharedLines<{ id: number; label: string }>('data/hate/predictions', `${name}.jsonl`);
      const lines = predictions.map(({ id, label }) => ({ dataset: 'hatecheck', id: String(id), prediction: label }));
      const file = Buffer.from(lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
      submitted.set(name, await world.submit('hate', { name, kind: 'predictions' }, file));
    }
    for (const [name, id] of submitted) models.set(name, (await world.untilFinal(id)).model);
  });

  afterAll(async () => {
    await world?.close();
  });

  it.each([
    ['sentiment-bow', { accuracy: 64.03 }],
    ['sentiment-cnn', { accuracy: 60.18 }],
    ['hate-bow', { accuracy: 58.5, macro_f1: 52.23 }],
    ['nli-pair', { accuracy: 37.31 }],
    ['qa-span', { squad_f1: 37.4, exact_match: 24.79 }],
    ['bert-davidson2017', { accuracy: 63.17, macro_f1: 55.86 }],
    ['bert-founta2018', { accuracy: 60.19, macro_f1: 56.29 }],
  ])('gives %s the scores that it has', (name, expected) => {
    expect(models.get(name)).toMatchObject({ state: 'scored' });
    expect(percents(evaluationOf(name))).toMatchObject(expected);
  });

  it.each([
    ['bert-davidson2017', { women: 37.5, 'trans people': 67, 'disabled people': 68.8 }],
    ['bert-founta2018', { women: 50.7, 'trans people': 65, 'disabled people': 37.6 }],
  ])('shows where %s fails, by the group that is addressed', (name, expected) => {
    const slices = evaluationOf(name).slices['target']!;
    const accuracies = Object.entries(slices).map(([target, { metrics }]) => [
      target,
      Math.round(metrics['accuracy']!.value * 1000) / 10,
    ]);

    expect(Object.fromEntries(accuracies)).toMatchObject(expected);
    expect(Object.fromEntries(Object.entries(slices).map(([target, { n }]) => [target, n]))).toEqual({
      women: 509,
      'trans people': 463,
      'gay people': 551,
      'black people': 482,
      'disabled people': 484,
      Muslims: 484,
      immigrants: 463,
    });
  });

  it('measures what runs, and nothing of what does not', () => {
    expect(evaluationOf('sentiment-bow').measures.throughput).toBeGreaterThan(10);
    expect(evaluationOf('bert-founta2018').measures).toEqual({});
  });

  it('can put what runs in the loop, and never a file of predictions', async () => {
    const board = await world.board('hate', ({ rows }) => rows.length === 3);
    const loop = (await world.call('GET', '/tasks/hate/loop')).body as LoopView;

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
      slug: 'sentiment',
      name: 'Sentiment',
      inputs: [{ name: 'text', ...text }],
      output: { name: 'label', type: 'label', labels: ['negative', 'neutral', 'positive'] },
      performance,
      quota: QUOTA,
    });
    await world.task({
      slug: 'hate',
      name: 'Hate speech',
      inputs: [{ name: 'text', ...text }],
      output: { name: 'label', type: 'label', labels: ['hateful', 'not-hateful'] },
      performance,
      metrics: ['macro_f1'],
      slices: ['target'],
      weights: { accuracy: 1 },
      quota: QUOTA,
    });
    await world.task({
      slug: 'nli',
      name: 'Natural language inference',
      inputs: [
        { name: 'context', ...text },
        { name: 'hypothesis', ...text },
      ],
      output: { name: 'label', type: 'label', labels: ['entailment', 'neutral', 'contradiction'] },
      performance,
      quota: QUOTA,
    });
    await world.task({
      slug: 'qa',
      name: 'Question answering',
      inputs: [
        { name: 'context', ...text },
        { name: 'question', ...text },
      ],
      output: { name: 'answers', type: 'span', of: 'context' },
      performance: 'squad_f1',
      metrics: ['exact_match'],
      cluster: 'context',
      quota: QUOTA,
    });
    const visible = 'visibility=public';
    await world.dataset('sentiment', 'sst3', visible, sharedText('data/sentiment/sst3.test.jsonl'));
    await world.dataset('hate', 'hatecheck', visible, sharedText('data/hate/hatecheck.jsonl'));
    await world.dataset('nli', 'anli-r3', visible, sharedText('data/nli/anli-r3.dev.jsonl'));
    await world.dataset('qa', 'xquad', visible, sharedText('data/qa/xquad.en.jsonl'));
  }
});

const percents = ({ metrics }: EvaluationView): Record<string, number> =>
  Object.fromEntries(Object.entries(metrics).map(([metric, { value }]) => [metric, Math.round(value * 10_000) / 100]));
