import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { LeaderboardView, LoopView } from '@assay/contracts/boards';
import type { CompareView } from '@assay/contracts/comparison';
import type { HistoryView } from '@assay/contracts/datasets';
import type { ModelView } from '@assay/contracts/models';
import type { TaskDefinitionInput, TaskView } from '@assay/contracts/tasks';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { buildSubmissionImage } from '../factories/models/submission-image.js';
import { INFERENCE_TASK, LABELS } from '../factories/models/inference-task.js';
import type { ServiceClient } from '../factories/worlds/service-client.js';
import { describeWithRealData, sharedLines, sharedText } from '../factories/worlds/shared-folder.js';
import { sharedService } from '../factories/worlds/shared-service.js';

const TASK = 'anli';
const TAGGED = 'anli-tags';
const ROUNDS = [1, 2, 3] as const;
/** The models that the rounds were collected against, in the order of the rounds. */
const IN_THE_LOOP = ['bert-r1', 'roberta-from-r2', 'roberta-from-r3'] as const;
const NAMES = [...IN_THE_LOOP, 'anli-bart-large', 'anli-roberta-large'] as const;
type Name = (typeof NAMES)[number];
/** The model that answers from a container. The others are predictions files. */
const CONTAINER = 'anli-roberta-large';

/**
 * The accuracy on rounds 1 to 3 in percent, computed from the data by an independent program.
 * libs/scoring/src/real-data.spec.ts has the same figures.
 */
const ACCURACY: Readonly<Record<Name, readonly number[]>> = {
  'bert-r1': [0, 28.2, 31.89],
  'roberta-from-r2': [67.2, 18.5, 22.04],
  'roberta-from-r3': [71.7, 44.8, 20.28],
  'anli-bart-large': [73.5, 51.8, 50.33],
  'anli-roberta-large': [73.8, 50.6, 46.08],
};

interface Example {
  readonly uid: string;
  readonly context: string;
  readonly hypothesis: string;
  readonly label: string;
  readonly tags: string | readonly string[];
}

interface Recorded {
  readonly uid: string;
  readonly round: number;
  readonly label: string;
  readonly prob: Readonly<Record<string, number>>;
}

describeWithRealData(
  'the three rounds of ANLI, collected against three of the five real models that are scored on them',
  () => {
    const folder = mkdtempSync(join(tmpdir(), 'assay-anli-'));
    const ids = new Map<Name, string>();
    const models = new Map<Name, ModelView>();
    /** A predictions file with the answers of the model in the container, scored by tag. */
    let tagged: ModelView;
    let world: ServiceClient;
    /** The board before the owner declares which models the rounds were collected against. */
    let raw: LeaderboardView;
    let loop: LoopView;
    let adjusted: LeaderboardView;

    beforeAll(async () => {
      world = await sharedService();
      await createTask(TASK, { loop: { size: 2 } });
      // slices of all models would take longer than everything else in this file
      await createTask(TAGGED, { metrics: ['accuracy', 'macro_f1'], slices: ['tags'] });
      for (const name of NAMES) {
        ids.set(name, await (name === CONTAINER ? submitContainer(name) : submitPredictions(TASK, name)));
      }
      tagged = (await world.untilFinal(await submitPredictions(TAGGED, CONTAINER))).model;
      for (const [name, id] of ids) models.set(name, (await world.untilFinal(id)).model);
      raw = await world.board(TASK, ({ rows }) => rows.length === NAMES.length);
      loop = (await world.call('GET', `/tasks/${TASK}/loop`)).body as LoopView;
      for (const [index, name] of IN_THE_LOOP.entries()) {
        await owner('PATCH', `/tasks/${TASK}/datasets/anli-r${index + 1}`, { against: [ids.get(name)!] });
      }
      adjusted = await world.board(TASK, ({ rows }) => rows.filter(({ own }) => own?.length).length === 3);
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
      expect(model.evaluations.map(({ metrics }) => percent(metrics['accuracy']!.value))).toEqual(ACCURACY[name]);
    });

    it('gives every figure an interval that holds it, or the reason why there is none', () => {
      const figures = [...models.values(), tagged].flatMap(({ evaluations }) =>
        evaluations.flatMap(({ metrics, slices }) => [
          ...Object.values(metrics),
          ...Object.values(slices['tags'] ?? {}).flatMap((slice) =>
            slice.n >= 30 ? Object.values(slice.metrics) : [],
          ),
        ]),
      );

      expect(figures.length).toBeGreaterThan(60);
      const known = figures.filter(({ why }) => why === undefined);
      expect(known.length).toBeGreaterThan(40);
      for (const { value, low, high } of known) {
        expect(low).toBeLessThanOrEqual(value);
        expect(high).toBeGreaterThanOrEqual(value);
        expect(high! - low!).toBeGreaterThan(0);
      }
    });

    it('widens the interval where examples share a context', () => {
      // round 3 has 1198 examples, about one and a half per context: the interval is at least as
      // wide as Wilson's for as many independent examples
      const { metrics } = models.get('anli-bart-large')!.evaluations[2]!;
      const { low, high } = metrics['accuracy']!;

      const wilson = wilsonWidth(0.5033, 1198);
      expect(high! - low!).toBeGreaterThanOrEqual(wilson - 1e-6);
      expect(high! - low!).toBeLessThan(1.5 * wilson);
    });

    it('cuts the scores by tag, each example once in each of its tags', () => {
      const answers = new Map(recordsOf(CONTAINER).map((record) => [record.uid, record]));
      const expected = new Map<string, { n: number; right: number }>();
      for (const { uid, label, tags } of examplesOf(1)) {
        for (const tag of new Set(tagsOf(tags))) {
          const slice = expected.get(tag) ?? { n: 0, right: 0 };
          const right = answers.get(uid)!.label === label ? 1 : 0;
          expected.set(tag, { n: slice.n + 1, right: slice.right + right });
        }
      }
      const { slices } = tagged.evaluations[0]!;

      const found = Object.entries(slices['tags'] ?? {}).map(([tag, { n, metrics }]) => [
        tag,
        { n, right: Math.round(metrics['accuracy']!.value * n) },
      ]);
      expect(new Map(found as [string, { n: number; right: number }][])).toEqual(expected);
      expect(expected.size).toBeGreaterThan(5);
    });

    it('measures what the container cost, and nothing of what is a file', () => {
      const { measures } = models.get(CONTAINER)!.evaluations[0]!;
      expect(measures.hardware).toContain('1 cpu');
      expect(measures.throughput).toBeGreaterThan(100);
      expect(measures.latency_p50).toBeGreaterThan(0);
      // a slow host takes too few samples in 10 s for higher percentiles
      expect(measures.latency_p90!).toBeGreaterThanOrEqual(measures.latency_p50!);
      expect(measures.memory).toBeGreaterThan(0.01);
      expect(measures.memory).toBeLessThan(1);
      expect(measures.cold_start).toBeGreaterThan(0);
      expect(models.get('anli-bart-large')!.evaluations[0]!.measures).toEqual({});
    });

    it('ranks by the accuracy that discounts old rounds', () => {
      const weights = [0.64, 0.8, 1].map((weight) => weight / 2.44);
      const expected = NAMES.map((name) => ({
        name,
        score: exactAccuracies(name).reduce((sum, value, index) => sum + value * weights[index]!, 0),
      })).sort((a, b) => b.score - a.score);

      expect(raw.datasets.map(({ weight }) => weight)).toEqual(weights.map((weight) => expect.closeTo(weight, 12)));
      expect(raw.rows.map(({ rank, model }) => [rank, model.name])).toEqual(
        // the last two are not better than the majority label, which is right in a third of the examples
        expected.map(({ name }, index) => [index < 3 ? index + 1 : null, name]),
      );
      for (const [index, { score }] of expected.entries()) {
        expect(raw.rows[index]!.metrics['accuracy']!.value).toBeCloseTo(score, 10);
        // the only weighted metric, as a percentage
        expect(raw.rows[index]!.dynascore).toBeCloseTo(100 * score, 8);
      }
      expect(raw.official).toBe(true);
      expect(raw.incomplete).toEqual([]);
    });

    it('has the reference rows beside them', () => {
      const labels = ROUNDS.map((round) => examplesOf(round).map(({ label }) => label));
      const majority = labels.map((round) => Math.max(...Object.values(countsOf(round))) / round.length);
      const reference = raw.references.find(({ name }) => name === 'majority')!;

      expect(ROUNDS.map((round) => reference.datasets[`anli-r${round}`]!['accuracy']!.value)).toEqual(
        majority.map((value) => expect.closeTo(value, 10)),
      );
      expect(raw.references.map(({ name }) => name)).toContain('random');
    });

    it('has the best model that can be asked in the loop, and says why', () => {
      const row = rowOf(raw, CONTAINER);
      expect(loop.models.map(({ model }) => model.name)).toEqual([CONTAINER]);
      const { evidence } = loop.models[0]!;
      expect(evidence.rank).toBe(row.rank);
      expect(evidence.rule).toContain('2');
      expect(evidence.values['accuracy']).toBeCloseTo(row.metrics['accuracy']!.value, 10);
      expect(evidence.revision).toBeLessThanOrEqual(raw.revision);
    });

    it('leaves nothing of the run behind', async () => {
      expect(await world.residue()).toEqual([]);
    });

    it('puts a model where it stands without the round that was collected against it, and says so', async () => {
      const before = accuracyOf(raw, 'roberta-from-r3');
      const after = accuracyOf(adjusted, 'roberta-from-r3');

      expect(percent(before.value, 1)).toBe(41.8);
      expect(after.value - before.value).toBeGreaterThan(0.07);
      expect(after).toMatchObject({ estimated: true });
      expect(rowOf(adjusted, 'roberta-from-r3').own).toEqual(['anli-r3']);
      expect(rowOf(adjusted, 'anli-bart-large').own).toBeUndefined();
      // the cell has the fitted value with its interval, and the measured one beside it
      const cell = rowOf(adjusted, 'bert-r1').datasets['anli-r1']!['accuracy']!;
      expect(cell).toMatchObject({ estimated: true, measured: 0 });
      expect(percent(cell.value, 1)).toBeCloseTo(59.9, 0);
      expect(cell.high! - cell.low!).toBeGreaterThan(2 * 0.087);

      const counted = await board('?ownRounds=count');
      expect(counted.official).toBe(false);
      for (const name of NAMES) expect(accuracyOf(counted, name).value).toBe(accuracyOf(raw, name).value);
    });

    it('gives ranks intervals that hold them, from joint draws', () => {
      const [below, ...ranked] = adjusted.rows.toReversed();
      for (const { rank, rankLow, rankHigh, couldBeFirst } of ranked) {
        expect(rankLow).toBeLessThanOrEqual(rank!);
        expect(rankHigh).toBeGreaterThanOrEqual(rank!);
        expect(couldBeFirst).toBe(rankLow === 1);
      }
      // without the round that was collected against it, its interval contains the majority label's accuracy
      expect(below).toMatchObject({ model: { name: 'roberta-from-r2' }, belowBaseline: true });
      expect(below).toMatchObject({ rank: null, rankLow: null, rankHigh: null, couldBeFirst: false });
      // the best two are close to each other, and far from the last
      expect(adjusted.rows[0]!.rankHigh).toBeLessThan(5);
      expect(adjusted.rows[3]!.couldBeFirst).toBe(false);
    });

    it('gives the calibration of the model in the container', () => {
      const { calibration } = models.get(CONTAINER)!.evaluations[0]!;

      expect(calibration!.n).toBe(1000);
      expect(calibration!.bins).toHaveLength(15);
      expect(calibration!.bins.reduce((sum, { n }) => sum + n, 0)).toBe(1000);
      expect(calibration!.ece.value).toBeGreaterThan(0.05);
    });

    it('compares two models on the examples that both have answered', async () => {
      const { body } = await world.call('GET', '/tasks/anli/compare?a=anli-bart-large&b=anli-roberta-large');
      const { datasets, overall } = body as CompareView;

      expect(datasets.map(({ dataset, n }) => [dataset, n])).toEqual([
        ['anli-r1', 1000],
        ['anli-r2', 1000],
        ['anli-r3', 1198],
      ]);
      const third = datasets[2]!.metrics['accuracy']!;
      expect(percent(third.difference.value, 1)).toBe(4.3);
      expect(third.better).toBe('a');
      expect(datasets[0]!.metrics['accuracy']!.better).toBeNull();
      expect(overall).toMatchObject({ comparable: 3, of: 3, missing: [] });
    });

    it('leaves what was collected against one of the two out of their comparison', async () => {
      const { body } = await world.call('GET', '/tasks/anli/compare?a=anli-bart-large&b=roberta-from-r3');
      const { datasets, overall } = body as CompareView;

      expect(datasets[2]).toMatchObject({ own: { a: false, b: true } });
      expect(overall).toMatchObject({ comparable: 2, of: 3 });
    });

    it('computes a metric that is added from the stored predictions of all models, and runs nothing', async () => {
      const { body } = await owner('PATCH', '/tasks/anli', { metrics: ['macro_f1', 'auroc'] });
      expect((body as TaskView & { rescored: number }).rescored).toBe(NAMES.length * ROUNDS.length);

      const board = await world.board(
        TASK,
        ({ benchmarkVersion, rows }) => benchmarkVersion === 2 && rows.every(({ metrics }) => 'auroc' in metrics),
      );

      expect(board.rows).toHaveLength(NAMES.length);
      expect(await runs()).toBe(NAMES.length);
    });

    it('scores corrected gold from the stored predictions, and keeps the old board byte for byte', async () => {
      const before = await text('/leaderboard?asOf=v2');
      const [first, ...rest] = sharedText('data/nli', 'anli-r1.dev.jsonl').trimEnd().split('\n');
      const example = JSON.parse(first!) as { label: string };
      const corrected = { ...example, label: LABELS.find((label) => label !== example.label) };
      const lines = [JSON.stringify(corrected), ...rest].join('\n');
      await world.dataset(TASK, 'anli-r1', 'role=round&round=1', lines);

      const preview = await owner('POST', '/tasks/anli/benchmark-versions?preview', {});
      expect(preview.body).toMatchObject({ evaluations: 0, rescored: NAMES.length });
      await owner('POST', '/tasks/anli/benchmark-versions', {});
      const board = await world.board(TASK, ({ benchmarkVersion }) => benchmarkVersion === 3);

      expect(board.datasets.find(({ name }) => name === 'anli-r1')).toMatchObject({ version: 2 });
      for (const name of NAMES) {
        const [old, now] = [adjusted, board].map((each) => rowOf(each, name).datasets['anli-r1']!['accuracy']!.value);
        expect(Math.abs(now! - old!) * 1000).toBeLessThan(1.001);
      }
      expect(await text('/leaderboard?asOf=v2')).toBe(before);
      expect(await runs()).toBe(NAMES.length);
    });

    it('tells what changed from one benchmark version to the next, and every rank on each', async () => {
      const { body } = await world.call('GET', '/tasks/anli/history');
      const history = body as HistoryView;

      expect(history.versions.map(({ benchmarkVersion }) => benchmarkVersion)).toEqual([1, 2, 3]);
      // bert-r1 is below the baseline on all of them
      expect(history.models).toHaveLength(NAMES.length - 1);
    });

    const owner = (method: string, path: string, body: object) =>
      world.call(method, path, { token: world.admin, body }).then((answer) => {
        if (answer.status >= 300) throw new Error(JSON.stringify(answer.body));
        return answer;
      });

    async function runs(): Promise<number> {
      const [counted] = await world.rows<{ count: number }>(
        `select count(distinct r.id)::int as count from run r join model m on m.specification_id = r.specification_id
        join task t on t.id = m.task_id where t.slug = 'anli' and r.purpose = 'evaluation'`,
      );
      return counted!.count;
    }

    const text = async (path: string): Promise<string> => (await fetch(`${world.url}/api/v1/tasks/anli${path}`)).text();

    const board = async (query: string): Promise<LeaderboardView> =>
      JSON.parse(await text(`/leaderboard${query}`)) as LeaderboardView;

    async function createTask(slug: string, more: Partial<TaskDefinitionInput>): Promise<void> {
      await world.task({
        slug,
        ...INFERENCE_TASK,
        quota: { perDay: 10 },
        ...more,
      });
      for (const round of ROUNDS) {
        const query = `role=round&round=${round}&visibility=public`;
        await world.dataset(slug, `anli-r${round}`, query, sharedText('data/nli', `anli-r${round}.dev.jsonl`));
      }
    }

    async function submitPredictions(task: string, name: Name): Promise<string> {
      const lines = recordsOf(name).map(({ uid, round, label, prob }) =>
        JSON.stringify({ dataset: `anli-r${round}`, id: uid, prediction: { label, probabilities: prob } }),
      );
      return world.submit(task, { name, kind: 'predictions' }, Buffer.from(lines.join('\n')));
    }

    /** Submits an image that replays the model's recorded answers. */
    async function submitContainer(name: Name): Promise<string> {
      const records = new Map(recordsOf(name).map((record) => [record.uid, record]));
      const answers = ROUNDS.flatMap((round) => examplesOf(round)).map(({ uid, context, hypothesis }) => {
        const { label, prob } = records.get(uid)!;
        return [`${context}\n${hypothesis}`, { label, probabilities: prob }];
      });
      const path = join(folder, `${name}.tar.zst`);
      const server = join(import.meta.dirname, 'models/recorded.mjs');
      const content = JSON.stringify(Object.fromEntries(answers));
      await buildSubmissionImage({ server, files: { '/app/answers.json': { content } } }, path, `${name}:1`);
      return world.submit(TASK, { name, kind: 'container' }, path);
    }
  },
);

const examplesOf = (round: number): Example[] => sharedLines<Example>('data/nli', `anli-r${round}.dev.jsonl`);

const recordsOf = (name: Name): Recorded[] => sharedLines<Recorded>('data/nli/predictions', `${name}.jsonl`);

function exactAccuracies(name: Name): number[] {
  const records = new Map(recordsOf(name).map((record) => [record.uid, record]));
  return ROUNDS.map((round) => {
    const examples = examplesOf(round);
    return examples.filter(({ uid, label }) => records.get(uid)!.label === label).length / examples.length;
  });
}

const tagsOf = (tags: string | readonly string[]): readonly string[] =>
  (typeof tags === 'string' ? [tags] : tags).filter((tag) => tag !== '');

const rowOf = (board: LeaderboardView, name: Name) => board.rows.find(({ model }) => model.name === name)!;

const accuracyOf = (board: LeaderboardView, name: Name) => rowOf(board, name).metrics['accuracy']!;

const percent = (value: number, decimals = 2): number => Number((100 * value).toFixed(decimals));

function countsOf(values: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const value of values) counts[value] = (counts[value] ?? 0) + 1;
  return counts;
}

/** Returns the width of the 95% Wilson interval (1927) for a share `p` of `n`. */
function wilsonWidth(p: number, n: number): number {
  const z = 1.959964;
  return (2 * z * Math.sqrt((p * (1 - p)) / n + (z * z) / (4 * n * n))) / (1 + (z * z) / n);
}
