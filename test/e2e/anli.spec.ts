import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Estimate, LeaderboardView, LoopView, ModelView } from '@assay/contracts';
import { buildSubmissionImage } from '@assay/sandbox/docker';
import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import type { ServiceClient } from '../factories/service-client.js';
import { describeWithRealData, sharedLines, sharedText } from '../factories/shared-folder.js';
import { sharedService } from '../factories/shared-service.js';

jest.setTimeout(600_000);

const TASK = 'anli';
const ROUNDS = [1, 2, 3] as const;

/** What an independent program computes from the data: percent of rounds 1 to 3. libs/scoring/src/real-data.spec.ts has all five models. */
const ACCURACY: Readonly<Record<string, readonly number[]>> = {
  'roberta-from-r3': [71.7, 44.8, 20.28],
  'anli-bart-large': [73.5, 51.8, 50.33],
  'anli-roberta-large': [73.8, 50.6, 46.08],
};
const NAMES = Object.keys(ACCURACY);

interface Example {
  readonly uid: string;
  readonly context: string;
  readonly hypothesis: string;
  readonly label: string;
  readonly tags: string | readonly string[];
}

interface Recorded {
  readonly uid: string;
  readonly label: string;
  readonly prob: Readonly<Record<string, number>>;
}

describeWithRealData('the three rounds of ANLI, and what three real models answered on them', () => {
  const folder = mkdtempSync(join(tmpdir(), 'assay-anli-'));
  const models = new Map<string, ModelView>();
  let world: ServiceClient;
  let board: LeaderboardView;

  beforeAll(async () => {
    world = await sharedService();
    await world.task({
      slug: TASK,
      name: 'Natural language inference',
      inputs: [
        { name: 'context', type: 'text' },
        { name: 'hypothesis', type: 'text' },
      ],
      output: { name: 'label', type: 'label', labels: ['entailment', 'neutral', 'contradiction'] },
      performance: 'accuracy',
      metrics: ['accuracy', 'macro_f1'],
      slices: ['tags'],
      cluster: 'context',
      weights: { accuracy: 1 },
      quota: { perDay: 10 },
      loop: { size: 2 },
    });
    for (const round of ROUNDS) {
      const query = `role=round&round=${round}&visibility=public`;
      await world.dataset(TASK, `anli-r${round}`, query, sharedText('data/nli', `anli-r${round}.dev.jsonl`));
    }
    const ids = new Map<string, string>();
    for (const name of NAMES) {
      const submission = { name, kind: 'container' } as const;
      ids.set(name, await world.submit(TASK, submission, await recordedImage(folder, name)));
    }
    for (const [name, id] of ids) models.set(name, (await world.untilFinal(id)).model);
    board = await world.board(TASK, ({ rows }) => rows.length === NAMES.length);
  });

  afterAll(() => {
    rmSync(folder, { recursive: true, force: true });
  });

  it.each(NAMES)('gives %s the accuracy that it has', (name) => {
    const model = models.get(name)!;

    expect(model).toMatchObject({ state: 'scored' });
    expect(model.evaluations.map(({ dataset, round }) => [dataset, round])).toEqual(
      ROUNDS.map((round) => [`anli-r${round}`, round]),
    );
    expect(model.evaluations.map(({ metrics }) => percent(metrics['accuracy']))).toEqual(ACCURACY[name]);
  });

  it('gives every figure an interval that holds it', () => {
    const figures = [...models.values()].flatMap(({ evaluations }) =>
      evaluations.flatMap(({ metrics, slices }) => [
        ...Object.values(metrics),
        ...Object.values(slices['tags'] ?? {}).flatMap((slice) => (slice.n >= 30 ? Object.values(slice.metrics) : [])),
      ]),
    );

    expect(figures.length).toBeGreaterThan(60);
    for (const { value, low, high } of figures) {
      expect(low).toBeLessThanOrEqual(value);
      expect(high).toBeGreaterThanOrEqual(value);
      // that of a macro F1 of 0 has no width: no resample of answers that are all wrong has a right one
      if (value > 0) expect(high! - low!).toBeGreaterThan(0);
    }
  });

  it('widens the interval where examples share a context', () => {
    // 1198 examples of round 3, about one and a half to a context: never narrower than Wilson's of as many independent ones
    const { metrics } = models.get('anli-bart-large')!.evaluations[2]!;
    const { low, high } = metrics['accuracy']!;

    const wilson = wilsonWidth(0.5033, 1198);
    expect(high! - low!).toBeGreaterThanOrEqual(wilson - 1e-6);
    expect(high! - low!).toBeLessThan(1.5 * wilson);
  });

  it('cuts the scores by tag, each example once in each of its tags', () => {
    const answers = recordsOf('anli-roberta-large');
    const expected = new Map<string, { n: number; right: number }>();
    for (const { uid, label, tags } of examplesOf(1)) {
      for (const tag of new Set(tagsOf(tags))) {
        const slice = expected.get(tag) ?? { n: 0, right: 0 };
        const right = answers.get(uid)!.label === label ? 1 : 0;
        expected.set(tag, { n: slice.n + 1, right: slice.right + right });
      }
    }
    const { slices } = models.get('anli-roberta-large')!.evaluations[0]!;

    const found = Object.entries(slices['tags'] ?? {}).map(([tag, { n, metrics }]) => [
      tag,
      { n, right: Math.round(metrics['accuracy']!.value * n) },
    ]);
    expect(new Map(found as [string, { n: number; right: number }][])).toEqual(expected);
    expect(expected.size).toBeGreaterThan(5);
  });

  it('measures what each model cost', () => {
    for (const { evaluations } of models.values()) {
      const { measures } = evaluations[0]!;
      expect(measures.hardware).toContain('1 cpu');
      expect(measures.throughput).toBeGreaterThan(100);
      expect(measures.latency_p50).toBeGreaterThan(0);
      expect(measures.latency_p99!).toBeGreaterThanOrEqual(measures.latency_p50!);
      expect(measures.memory).toBeGreaterThan(0.01);
      expect(measures.memory).toBeLessThan(1);
      expect(measures.cold_start).toBeGreaterThan(0);
    }
  });

  it('ranks by the accuracy that discounts old rounds', () => {
    const weights = [0.64, 0.8, 1].map((weight) => weight / 2.44);
    const expected = NAMES.map((name) => ({
      name,
      score: exactAccuracies(name).reduce((sum, value, index) => sum + value * weights[index]!, 0),
    })).sort((a, b) => b.score - a.score);

    expect(board.datasets.map(({ weight }) => weight)).toEqual(weights.map((weight) => expect.closeTo(weight, 12)));
    expect(board.rows.map(({ rank, model }) => [rank, model.name])).toEqual(
      expected.map(({ name }, index) => [index + 1, name]),
    );
    for (const [index, { score }] of expected.entries()) {
      expect(board.rows[index]!.metrics['accuracy']!.value).toBeCloseTo(score, 10);
      // one metric alone: its percentage
      expect(board.rows[index]!.dynascore).toBeCloseTo(100 * score, 8);
    }
    expect(board.official).toBe(true);
    expect(board.incomplete).toEqual([]);
  });

  it('has the reference rows beside them', () => {
    const labels = ROUNDS.map((round) => examplesOf(round).map(({ label }) => label));
    const majority = labels.map((round) => Math.max(...Object.values(countsOf(round))) / round.length);
    const reference = board.references.find(({ name }) => name === 'majority')!;

    expect(ROUNDS.map((round) => reference.datasets[`anli-r${round}`]!['accuracy']!.value)).toEqual(
      majority.map((value) => expect.closeTo(value, 10)),
    );
    expect(board.references.map(({ name }) => name)).toContain('random');
  });

  it('puts the best two in the loop, and says why', async () => {
    const loop = (await world.call('GET', `/tasks/${TASK}/loop`)).body as LoopView;

    const best = board.rows.slice(0, 2);
    expect(loop.models.map(({ model }) => model.name)).toEqual(best.map(({ model }) => model.name));
    for (const [index, { evidence }] of loop.models.entries()) {
      expect(evidence.rank).toBe(index + 1);
      expect(evidence.rule).toContain('2');
      expect(evidence.values['accuracy']).toBeCloseTo(best[index]!.metrics['accuracy']!.value, 10);
      expect(evidence.revision).toBeLessThanOrEqual(board.revision);
    }
  });

  it('leaves nothing of the runs behind', async () => {
    expect(await world.residue()).toEqual([]);
  });
});

/** The image of a submission that answers what the model `name` answered. */
async function recordedImage(folder: string, name: string): Promise<string> {
  const records = recordsOf(name);
  const answers = ROUNDS.flatMap((round) => examplesOf(round)).map(({ uid, context, hypothesis }) => {
    const { label, prob } = records.get(uid)!;
    return [`${context}\n${hypothesis}`, { label, probabilities: prob }];
  });
  const path = join(folder, `${name}.tar`);
  const server = join(import.meta.dirname, 'models/recorded.mjs');
  const content = JSON.stringify(Object.fromEntries(answers));
  await buildSubmissionImage({ server, files: { '/app/answers.json': { content } } }, path, `${name}:1`);
  return path;
}

const examplesOf = (round: number): Example[] => sharedLines<Example>('data/nli', `anli-r${round}.dev.jsonl`);

const recordsOf = (name: string): Map<string, Recorded> =>
  new Map(sharedLines<Recorded>('data/nli/predictions', `${name}.jsonl`).map((record) => [record.uid, record]));

function exactAccuracies(name: string): number[] {
  const records = recordsOf(name);
  return ROUNDS.map((round) => {
    const examples = examplesOf(round);
    return examples.filter(({ uid, label }) => records.get(uid)!.label === label).length / examples.length;
  });
}

const tagsOf = (tags: string | readonly string[]): readonly string[] =>
  (typeof tags === 'string' ? [tags] : tags).filter((tag) => tag !== '');

const percent = (estimate: Estimate | undefined): number => Math.round(estimate!.value * 10_000) / 100;

function countsOf(values: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const value of values) counts[value] = (counts[value] ?? 0) + 1;
  return counts;
}

/** Of the 95% interval by Wilson (1927) of the share `p` of `n`. */
function wilsonWidth(p: number, n: number): number {
  const z = 1.959964;
  return (2 * z * Math.sqrt((p * (1 - p)) / n + (z * z) / (4 * n * n))) / (1 + (z * z) / n);
}
