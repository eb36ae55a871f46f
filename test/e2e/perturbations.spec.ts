import type { PerturbedVersionView } from '@assay/contracts/datasets';
import type { Perturbation } from '@assay/contracts/metrics';
import type { EvaluationView, ModelView } from '@assay/contracts/models';
import type { TaskDefinitionInput } from '@assay/contracts/tasks';
import { beforeAll, expect, it, jest } from '@jest/globals';
import { bundleOf } from '../factories/models/onnx-bundles.js';
import type { ServiceClient } from '../factories/worlds/service-client.js';
import { describeWithRealData, sharedPath, sharedText } from '../factories/worlds/shared-folder.js';
import { sharedService } from '../factories/worlds/shared-service.js';

jest.setTimeout(240_000);

const NAMES = ['sentiment-bow', 'sentiment-cnn'] as const;
const PERTURBATIONS = {
  robustness: ['case', 'typos', 'punctuation', 'swaps'],
  fairness: ['gender'],
  sample: 300,
} as const satisfies TaskDefinitionInput['perturbations'];

interface Variant {
  readonly id: string;
  readonly input_id: string;
  readonly transform: string;
  readonly text: string;
  readonly label: string;
}

describeWithRealData('two ONNX models on perturbed versions of the examples that they were made for', () => {
  const ids = new Map<string, string>();
  let world: ServiceClient;
  let variants: Record<Perturbation, readonly Variant[]>;

  beforeAll(async () => {
    world = await sharedService();
    await takeInTask('perturbed', { perturbations: PERTURBATIONS });
    await world.dataset('perturbed', 'sst3', 'visibility=public', sharedText('data/sentiment/sst3.test.jsonl'));
    for (const name of NAMES) {
      const bundle = await bundleOf(sharedPath('models', name));
      ids.set(name, await world.submit('perturbed', { name, kind: 'onnx' }, bundle));
    }
    variants = {
      fairness: await download('perturbed', 'fairness'),
      robustness: await download('perturbed', 'robustness'),
    };
    for (const id of ids.values()) await world.untilFinal(id);
  });

  it('makes variants of at most the sample, each of one transform that changed it', async () => {
    const originals = new Map(
      linesOf<{ id: string; text: string; label: string }>(sharedText('data/sentiment/sst3.test.jsonl')).map((row) => [
        row.id,
        row,
      ]),
    );
    for (const kind of ['fairness', 'robustness'] as const) {
      const view = await perturbedVersion('perturbed', kind);
      expect(view).toMatchObject({ dataset: 'sst3', own: false, status: 'active', examples: variants[kind].length });
      expect(view.transforms.map(({ name }) => name)).toEqual(PERTURBATIONS[kind]);
      expect(new Set(variants[kind].map(({ input_id }) => input_id)).size).toBe(
        kind === 'robustness' ? PERTURBATIONS.sample : Math.min(PERTURBATIONS.sample, variants[kind].length),
      );
      for (const { name, variants: count } of view.transforms) {
        expect(variants[kind].filter(({ transform }) => transform === name)).toHaveLength(count);
      }
      for (const variant of variants[kind]) {
        const original = originals.get(variant.input_id)!;
        expect(variant.text).not.toBe(original.text);
        expect(variant.label).toBe(original.label);
      }
    }
    for (const { transform, input_id, text } of variants.robustness) {
      if (transform === 'case') expect(text).toBe(originals.get(input_id)!.text.toUpperCase());
    }
  });

  it.each(NAMES)('tells what perturbing does to %s, which folds case and knows whole words', async (name) => {
    const model = await modelOf(name);
    expect(model).toMatchObject({ state: 'scored' });
    expect(
      model.evaluations.map(({ dataset, perturbation, state }) => [dataset, perturbation ?? 'none', state]).sort(),
    ).toEqual([
      ['sst3', 'fairness', 'scored'],
      ['sst3', 'none', 'scored'],
      ['sst3', 'robustness', 'scored'],
    ]);
    if (name === 'sentiment-bow') expect(accuracyOf(model)).toBeCloseTo(0.6403, 4);
    const { perturbed, metrics } = evaluationOf(model, 'robustness');
    const { transforms, stayedRight, mean, stability, performance, drop } = perturbed!;

    expect(transforms['case']).toMatchObject({
      drop: { value: 0 },
      stability: { value: 1 },
      ranks: true,
      validated: 0,
    });
    expect(transforms['case']!.stayedRight!.value).toBeCloseTo(transforms['case']!.performance!, 12);
    for (const harmful of ['typos', 'swaps']) {
      expect(transforms[harmful]!.stability!.value).toBeLessThan(1);
      expect(transforms[harmful]!.stayedRight!.value).toBeLessThan(transforms['case']!.stayedRight!.value);
    }
    expect(transforms['typos']!.drop!.value).toBeGreaterThan(0);
    expect(metrics).toEqual({ robustness: stayedRight, robustness_mean: mean, robustness_stability: stability });
    expect(mean!.value).toBeGreaterThanOrEqual(stayedRight!.value);
    // an original counts only if all its variants are answered correctly, so all transforms
    // together leave fewer than each alone
    for (const each of Object.values(transforms))
      expect(stayedRight!.value).toBeLessThanOrEqual(each.stayedRight!.value);
    expect(drop!.value).toBeGreaterThan(0);
    expect(drop!.low).toBeLessThan(drop!.high!);
    expect(performance!).toBeGreaterThan(1 / 3);
    const fairness = evaluationOf(model, 'fairness');
    expect(Object.keys(fairness.perturbed!.transforms)).toEqual(['gender']);
    expect(fairness.metrics['fairness']!.value).toBeGreaterThan(metrics['robustness']!.value);
  });

  it('finds the same true performance where the variants are examples like any others', async () => {
    await takeInTask('perturbed-variants', { slices: ['transform'] });
    const lines = Object.entries(variants);
    for (const [kind, rows] of lines)
      await world.dataset('perturbed-variants', kind, 'visibility=public', jsonLines(rows));
    const bundle = await bundleOf(sharedPath('models', 'sentiment-cnn'));
    const id = await world.submit('perturbed-variants', { name: 'the same', kind: 'onnx' }, bundle);
    const { model: plain } = await world.untilFinal(id);
    const model = await modelOf('sentiment-cnn');

    for (const kind of ['fairness', 'robustness'] as const) {
      const { perturbed } = evaluationOf(model, kind);
      const { metrics, slices } = plain.evaluations.find(({ dataset }) => dataset === kind)!;
      expect(perturbed!.performance).toBeCloseTo(metrics['accuracy']!.value, 12);
      for (const [transform, { performance }] of Object.entries(perturbed!.transforms)) {
        expect(performance).toBeCloseTo(slices['transform']![transform]!.metrics['accuracy']!.value, 12);
      }
    }
  });

  it('weighs fairness and robustness on the board unless the task says otherwise', async () => {
    const board = await world.board('perturbed', ({ rows }) => rows.length === 2);

    const weights = Object.fromEntries(board.metrics.map(({ name, weight }) => [name, weight]));
    expect(weights).toMatchObject({ accuracy: 4, cpu_time: 1, memory: 1, fairness_mean: 1, robustness_mean: 1 });
    expect(weights).toMatchObject({ fairness: 0, robustness: 0, fairness_stability: 0, robustness_stability: 0 });
    for (const row of board.rows) {
      const model = await modelOf(row.model.name);
      for (const kind of ['fairness', 'robustness'] as const) {
        expect(row.metrics[kind]!.value).toBeCloseTo(evaluationOf(model, kind).metrics[kind]!.value, 12);
      }
    }
  });

  it('takes a transform that loses labels out of what ranks, and back in, and runs nothing', async () => {
    const before = evaluationOf(await modelOf('sentiment-cnn'), 'robustness');
    const typos = variants.robustness.filter(({ transform }) => transform === 'typos').slice(0, 100);
    const runs = await runsOf();

    await validate(typos.map(({ id }, index) => ({ id, kept: index >= 6 })));
    const without = await robustnessOnce(({ perturbed }) => !perturbed!.transforms['typos']!.ranks);
    await validate(typos.map(({ id }, index) => ({ id, kept: index >= 5 })));
    const again = await robustnessOnce(({ perturbed }) => perturbed!.transforms['typos']!.ranks);

    expect(without.perturbed!.transforms['typos']).toMatchObject({ validated: 100, kept: 94 });
    expect(without.perturbed!.transforms['typos']!.performance).toBe(
      before.perturbed!.transforms['typos']!.performance,
    );
    expect(without.metrics['robustness']!.value).toBeGreaterThan(before.metrics['robustness']!.value);
    expect(without.perturbed!.variants).toBeLessThan(before.perturbed!.variants);
    expect(again.perturbed!.transforms['typos']).toMatchObject({ validated: 100, kept: 95 });
    expect(again.metrics).toEqual(before.metrics);
    expect(await runsOf()).toEqual(runs);
    const board = await world.board('perturbed', ({ rows }) =>
      rows.some(
        ({ model, metrics }) =>
          model.name === 'sentiment-cnn' && metrics['robustness']!.value === again.metrics['robustness']!.value,
      ),
    );
    expect(board.rows).toHaveLength(2);
  });

  it('makes the same variants of the same examples in another task', async () => {
    await takeInTask('perturbed-twin', { perturbations: PERTURBATIONS });
    await world.dataset(
      'perturbed-twin',
      'other-name',
      'visibility=hidden',
      sharedText('data/sentiment/sst3.test.jsonl'),
    );

    for (const kind of ['fairness', 'robustness'] as const) {
      expect(await perturbedVersion('perturbed-twin', kind, 'other-name')).toMatchObject({
        dataset: 'other-name',
        digest: expect.stringMatching(/^sha256-salted:[0-9a-f]{64}$/),
      });
      expect(await download('perturbed-twin', kind, 'other-name', world.admin)).toEqual(variants[kind]);
    }
    const stranger = await world.call('GET', '/tasks/perturbed-twin/datasets/other-name/perturbations/robustness', {
      token: await world.user(world.builder),
    });
    expect(stranger.status).toBe(404);
  });

  async function takeInTask(slug: string, more: Partial<TaskDefinitionInput>): Promise<void> {
    await world.task({
      slug,
      name: slug,
      inputs: [{ name: 'text', type: 'text' }],
      output: { name: 'label', type: 'label', labels: ['negative', 'neutral', 'positive'] },
      performance: 'accuracy',
      quota: { perDay: 10 },
      ...more,
    });
  }

  const modelOf = (name: string): Promise<ModelView> => world.model(ids.get(name)!);

  async function robustnessOnce(holds: (evaluation: EvaluationView) => boolean): Promise<EvaluationView> {
    let evaluation: EvaluationView | undefined;
    await world.until(async () => {
      evaluation = evaluationOf(await modelOf('sentiment-cnn'), 'robustness');
      return evaluation.state === 'scored' && holds(evaluation);
    }, 120_000);
    return evaluation!;
  }

  async function perturbedVersion(task: string, kind: Perturbation, dataset = 'sst3'): Promise<PerturbedVersionView> {
    const { body } = await world.expect(200, 'GET', `/tasks/${task}/datasets/${dataset}/perturbations`, {
      token: world.admin,
    });
    return (body.items as PerturbedVersionView[]).find(({ perturbation }) => perturbation === kind)!;
  }

  async function download(task: string, kind: Perturbation, dataset = 'sst3', token?: string): Promise<Variant[]> {
    const url = `${world.url}/api/v1/tasks/${task}/datasets/${dataset}/perturbations/${kind}`;
    const response = await fetch(url, token === undefined ? {} : { headers: { authorization: `Bearer ${token}` } });
    if (!response.ok) throw new Error(`${url}: ${response.status} ${await response.text()}`);
    return linesOf(await response.text());
  }

  async function validate(verdicts: readonly { readonly id: string; readonly kept: boolean }[]): Promise<void> {
    await world.expect(200, 'PUT', '/tasks/perturbed/datasets/sst3/perturbations/robustness/validations', {
      token: world.admin,
      type: 'application/x-ndjson',
      body: jsonLines(verdicts),
    });
  }

  const runsOf = (): Promise<object[]> =>
    world.rows(
      `select r.id, r.state, r.fence from run r join model m on m.specification_id = r.specification_id
        join task t on t.id = m.task_id where t.slug = 'perturbed' and r.purpose = 'evaluation' order by r.id`,
    );
});

const evaluationOf = ({ evaluations }: ModelView, kind: Perturbation): EvaluationView =>
  evaluations.find(({ perturbation }) => perturbation === kind)!;

/** Returns the accuracy on the original examples. */
const accuracyOf = ({ evaluations }: ModelView): number =>
  evaluations.find(({ perturbation }) => perturbation === undefined)!.metrics['accuracy']!.value;

const linesOf = <T>(text: string): T[] =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as T);

const jsonLines = (rows: readonly object[]): string => rows.map((row) => `${JSON.stringify(row)}\n`).join('');
