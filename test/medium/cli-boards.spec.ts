import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Answer } from '@assay/contracts';
import { Evaluation } from '@assay/evaluation/evaluations';
import { Run } from '@assay/evaluation/runs';
import { Model } from '@assay/submissions';
import { type DatasetRow } from '@assay/tasks/examples';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { buildCli, type Ended, startCli } from '../factories/services/cli-runner.js';
import { apiWorld, type ApiWorld } from '../factories/worlds/api-world.js';
import { scoredModel } from '../factories/models/scored-models.js';
import { publishBoard } from '../factories/models/published-board.js';

const UUID = /^[0-9a-f-]{36}$/;

const TASK = {
  slug: 'nli',
  name: 'Inference',
  inputs: [{ name: 'text', type: 'text' }],
  output: { name: 'label', type: 'label', labels: ['negative', 'positive'] },
  performance: 'accuracy',
  metrics: ['macro_f1'],
  slices: ['genre'],
  weights: { accuracy: 4, macro_f1: 1 },
  aggregate: { minimumExamples: 50 },
  perturbations: { robustness: ['case', 'misspellings'], fairness: [], sample: 60 },
  quota: { perDay: 50 },
};

/** Returns examples of two genres in alternation. Every third is negative. */
const examples = (count: number) =>
  Array.from({ length: count }, (_, place) => ({
    id: `e${place}`,
    text: `I really believe that the story number ${place} is beautiful, and it is not bad.`,
    label: place % 3 === 0 ? 'negative' : 'positive',
    genre: place % 2 === 0 ? 'news' : 'fiction',
  }));
const jsonLines = (rows: readonly object[]) => rows.map((row) => JSON.stringify(row)).join('\n');

describe('assay and its boards', () => {
  let world: ApiWorld;
  let folder: string;
  const ids = new Map<string, string>();

  beforeAll(async () => {
    buildCli();
    world = await apiWorld();
    folder = mkdtempSync(join(tmpdir(), 'assay-boards-'));
    writeFileSync(join(folder, 'nli.yaml'), JSON.stringify(TASK));
    writeFileSync(join(folder, 'round.jsonl'), jsonLines(examples(240)));
    await done('login', '--url', world.url, '--token', join(world.home, 'admin-token'));
    await done('task', 'create', 'nli.yaml');
    await done('dataset', 'put', 'nli', 'round-1', 'round.jsonl', '--round', '1');
    await done('dataset', 'put', 'nli', 'static-1', 'round.jsonl');
    await submitted('strong', (place) => place % 10 < 9);
    await submitted('fair', (place) => place % 10 < 8);
    await submitted('weak', (place) => place % 10 < 5, { 'round-1': (place) => place % 10 < 1 });
    await publish();
  }, 300_000);

  afterAll(async () => {
    await world.close();
    rmSync(folder, { recursive: true, force: true });
  }, 120_000);

  type Strength = (place: number) => boolean;

  /**
   * Submits a model that is right where its strength is true, with the same confidence in right and
   * wrong answers.
   */
  async function submitted(name: string, strength: Strength, on: Record<string, Strength> = {}): Promise<void> {
    const answer = (dataset: string, { index, gold }: DatasetRow): Answer => {
      const isPositive = (on[dataset] ?? strength)(index) === (gold[0] === 'positive');
      return isPositive
        ? { text: 'positive', probabilities: [0.2, 0.8] }
        : { text: 'negative', probabilities: [0.8, 0.2] };
    };
    ids.set(name, await scoredModel(world, { slug: 'nli', name, token: world.admin, answer }));
  }

  /**
   * Stores a result without figures, as if the model's perturbed examples had been compared with
   * their originals.
   */
  async function perturbed(id: string): Promise<void> {
    const em = world.orm.em.fork();
    const { specification } = await em.findOneOrFail(Model, id);
    const figures = { originals: 60, variants: 120, performance: 0.9, stayedRight: null, stability: null, drop: null };
    const cells = await em.find(Evaluation, {
      specification: specification!.id,
      datasetVersion: { dataset: { perturbation: 'robustness' } },
    });
    for (const cell of cells) cell.perturbed = { ...figures, transforms: {} };
    await em.flush();
  }

  /** Simulates the end of the model's run. */
  async function ended(id: string): Promise<void> {
    const em = world.orm.em.fork();
    const model = await em.findOneOrFail(Model, id, { populate: ['specification.artifact'] });
    await em.nativeUpdate(Run, { specification: model.specification!.id }, { state: 'done' });
    model.specification!.artifact.state = 'admitted';
    model.state = 'scored';
    await em.flush();
  }

  const publish = () => publishBoard(world, 'nli');

  /** Runs the built command to its end, with lines of at most `columns` characters. */
  function assayAt(columns: number | undefined, ...words: readonly string[]): Promise<Ended> {
    return startCli(folder, words, columns === undefined ? {} : { COLUMNS: String(columns) }).ended;
  }

  const assay = (...words: readonly string[]) => assayAt(undefined, ...words);

  async function done(...words: readonly string[]): Promise<string> {
    const { code, stdout, stderr } = await assay(...words);
    if (code !== 0) throw new Error(`assay ${words.join(' ')} ended with ${code}: ${stderr}`);
    return stdout;
  }
  const json = async (...words: readonly string[]) => JSON.parse(await done(...words, '--json')) as never;

  describe('leaderboard', () => {
    it('ranks, with how sure that is', async () => {
      const shown = await done('leaderboard', 'nli');
      expect(shown).toMatch(/^▌ 1 .*strong.* admin /m);
      expect(shown).toContain('▌ first with 95% confidence.');
      expect(shown).not.toContain('worst:genre');
      const all = await done('leaderboard', 'nli', '--all-metrics');
      expect(all).toContain('attempts');
      expect(all).toContain('worst:genre');
      expect(shown).toMatch(/The first, strong, stays first in \d+% of 1,000 draws of weights around the task's/);
      expect(shown).toContain('majority');
      expect(shown).not.toContain('Not the official board');
    });

    it('fits into 100 columns', async () => {
      const { stdout } = await assayAt(100, 'leaderboard', 'nli', '--explain', '--pareto', 'accuracy,macro_f1');
      expect(Math.max(...stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(100);
      expect(stdout).toContain('◆ no other model beats it in all of accuracy, macro_f1.');
      expect(stdout).toContain('How the score is computed');
      expect(stdout).toMatch(/macro_f1: weight 1\n +One percentage point of macro_f1 adds/);
    });

    it('says that other weights are not official, with the official ranks', async () => {
      const shown = await done('leaderboard', 'nli', '--weights', 'accuracy:1,macro_f1:9');
      expect(shown).toContain(
        "Not the official board: weights differ from the task's: accuracy 4 → 1, macro_f1 1 → 9.",
      );
      expect(shown).toMatch(/#.* official .*model/);
    });

    it('marks what was collected against a model, and counts it where that is asked for', async () => {
      await done('dataset', 'change', 'nli', 'round-1', '--against', ids.get('weak')!);
      await publish();

      const adjusted = await done('leaderboard', 'nli', '--by-dataset');
      expect(adjusted).toMatch(/weak †.*≈\d/);
      expect(adjusted).toContain('† own round, weak (round-1): The examples were collected against this very model');
      expect(adjusted).toMatch(/^weak .*†/m);
      const counted = await done('leaderboard', 'nli', '--own-rounds', 'count');
      expect(counted).toContain('count unchanged (ownRounds=count)');
      expect(counted).not.toContain('≈');
    });

    it('shows some of the models, or those that had not seen the data', async () => {
      const none = await done('leaderboard', 'nli', '--kind', 'onnx');
      expect(none).toContain('Only models of kind onnx');
      expect(none).toContain('No matching model is ranked.');

      const since = await done('dataset', 'change', 'nli', 'static-1', '--public-since', '2020-01-01');
      expect(since).toContain('since 2020-01-01 00:00 UTC');
      await publish();
      expect(await done('leaderboard', 'nli')).toMatch(/° contaminated, .*\(static-1\): Test data was public/);
      expect(await done('leaderboard', 'nli', '--exposure', 'clean')).toContain('3 models left out');
      await done('dataset', 'change', 'nli', 'static-1', '--public-since', 'never');
      await publish();
    });

    it('refuses what it does not know, in a sentence', async () => {
      const unknown = await assay('leaderboard', 'nli', '--weights', 'speed:1');
      expect(unknown.code).toBe(3);
      expect(unknown.stderr).toContain('speed');
      expect((await assay('leaderboard', 'nli', '--exposure', 'dirty')).code).toBe(2);
    });
  });

  describe('boards under a name', () => {
    it('are forks: made, listed, shown with whose they are, removed', async () => {
      expect(await done('fork', 'list', 'nli')).toContain('nli has no forks yet');
      const made = await done('fork', 'create', 'nli', 'by-f1', '--weights', 'accuracy:0,macro_f1:1');
      expect(made).toContain('It differs in: weights accuracy 0, macro_f1 1.');
      expect(await done('fork', 'list', 'nli')).toMatch(/by-f1 +admin .*weights accuracy 0, macro_f1 1/);

      const shown = await done('fork', 'show', 'nli', 'by-f1');
      expect(shown).toMatch(/^Fork by-f1 of admin/);
      expect(shown).toContain('is not official');
      expect(shown).toMatch(/strong/);
      expect(await json('fork', 'show', 'nli', 'by-f1')).toMatchObject({ name: 'by-f1', board: { official: false } });

      expect(await done('fork', 'remove', 'nli', 'by-f1')).toBe('Removed the fork by-f1.\n');
      const gone = await assay('fork', 'show', 'nli', 'by-f1');
      expect(gone.code).toBe(3);
    });

    it('are snapshots, of a fork or of the past', async () => {
      await done('fork', 'create', 'nli', 'kept', '--weights', 'macro_f1:9');
      const made = await done('snapshot', 'create', 'nli', 'paper', '--fork', 'kept', '--as-of', 'r1');
      expect(made).toMatch(
        /^Froze revision 1 as paper\. Its permanent address: http.*\/tasks\/nli\/snapshots\/paper\n$/,
      );
      expect(await done('snapshot', 'list', 'nli')).toMatch(/paper +admin .* r1 +weights macro_f1 9/);
      expect(await done('snapshot', 'show', 'nli', 'paper')).toMatch(/^Snapshot paper of admin[^]*It is frozen/);

      const both = await assay('snapshot', 'create', 'nli', 'x', '--fork', 'kept', '--weights', 'accuracy:1');
      expect(both).toMatchObject({ code: 2, stderr: expect.stringContaining('cannot be combined with') });
      const word = await assay('snapshot', 'create', 'nli', 'x', '--weights', 'accuracy');
      expect(word).toMatchObject({
        code: 2,
        stderr: '"accuracy" is not of the form name:weight, such as accuracy:4.\n',
      });
    });
  });

  describe('model show', () => {
    it('has slices, calibration and what perturbing does', async () => {
      await perturbed(ids.get('strong')!);
      const shown = await done('model', 'show', ids.get('strong')!);
      expect(shown).toMatch(/round-1 v1 +genre +accuracy % +\w+ \d/);
      expect(shown).toMatch(/calibration +examples +ECE/);
      expect(shown).toMatch(/round-1 robustness v1 +all +\d+/);
      expect(shown).not.toContain('Reliability on');
      const reliable = await done('model', 'show', ids.get('strong')!, '--calibration');
      expect(reliable).toMatch(/Reliability on round-1 v1[^]*80.*[█│]/);
    });

    it('keeps the scores of a model whose bytes are gone', async () => {
      await ended(ids.get('fair')!);
      const { code, stderr } = await assay('model', 'archive', ids.get('fair')!);
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      expect(await done('model', 'show', ids.get('fair')!)).toMatch(
        /archived .* its artifact is deleted, its scores stay/,
      );
    });
  });

  describe('datasets', () => {
    it('are listed, with their versions, and downloaded', async () => {
      expect(await done('dataset', 'list', 'nli')).toMatch(/round-1 +v1 +round 1 +240 .* hidden .* 1 model +active/);
      expect(await done('dataset', 'list', 'nli', 'round-1')).toMatch(
        /v1 +240 +active .* sha256-salted:[0-9a-f]{64}$/m,
      );

      const printed = await done('dataset', 'get', 'nli', 'round-1', '--version', '1');
      expect(printed.trim().split('\n')).toHaveLength(240);
      expect(await done('dataset', 'get', 'nli', 'round-1', '--output', 'copy.jsonl')).toBe('Wrote copy.jsonl.\n');
      expect(readFileSync(join(folder, 'copy.jsonl'), 'utf8')).toBe(printed);
    });

    it('are described in Croissant', async () => {
      const described = JSON.parse(await done('dataset', 'croissant', 'nli', 'round-1')) as Record<string, unknown>;
      expect(described).toMatchObject({ '@type': 'sc:Dataset', conformsTo: expect.stringContaining('croissant') });
    });

    it.each([
      [['get', 'nli', 'nothing'], 3, /dataset/],
      [['get', 'nli', 'round-1', '--version', '9'], 3, /version/],
      [['get', 'nli', 'round-1', '--version', 'x'], 2, /whole number/],
      [['get', 'nli', 'round-1', '--output', 'no/where.jsonl'], 2, /no\/where\.jsonl cannot be written/],
      [['change', 'nli', 'round-1'], 2, /Nothing to change/],
      [['change', 'nli', 'round-1', '--public-since', 'soon'], 2, /"soon" is not a valid time/],
      [['change', 'nli', 'round-1', '--against', 'me'], 3, /against/],
    ] as const)('refuse %j with %d', async (words, code, sentence) => {
      const ended = await assay('dataset', ...words);
      expect(ended.stderr).toMatch(sentence);
      expect(ended.code).toBe(code);
    });
  });

  describe('perturbed examples', () => {
    it('are listed, downloaded, sampled and judged', async () => {
      expect(await done('perturbation', 'list', 'nli', 'round-1')).toMatch(
        /robustness of round-1 v1 · \d+ variants, generated, active[^]* case +60 +0 +· +yes/,
      );
      const lines = (await done('perturbation', 'get', 'nli', 'round-1', 'robustness')).trim().split('\n');
      const variants = lines.map((line) => JSON.parse(line) as { id: string; transform: string });

      await done('perturbation', 'sample', 'nli', 'round-1', 'robustness', '--output', 'sample.jsonl');
      expect(readFileSync(join(folder, 'sample.jsonl'), 'utf8').trim().split('\n').length).toBeGreaterThan(30);

      const judged = variants
        .filter(({ transform }) => transform === 'case')
        .map(({ id }, place) => ({ id, kept: place > 5 }));
      writeFileSync(join(folder, 'judged.jsonl'), jsonLines(judged));
      expect(await done('perturbation', 'validate', 'nli', 'round-1', 'robustness', 'judged.jsonl')).toMatch(
        /case +60 +60 +54 \(90%\) +no: too few keep their label/,
      );
    });

    it('are put by a user who has pairs', async () => {
      const pairs = examples(40).map((example) => ({
        ...example,
        id: `own-${example.id}`,
        input_id: example.id,
        text: example.text.toUpperCase(),
      }));
      writeFileSync(join(folder, 'pairs.jsonl'), jsonLines(pairs));
      const put = await done('perturbation', 'put', 'nli', 'static-1', 'fairness', 'pairs.jsonl');
      expect(put).toMatch(/fairness of static-1 v1 · 40 variants, the owner's pairs/);

      const missing = await assay('perturbation', 'put', 'nli', 'static-1', 'fairness', 'none.jsonl');
      expect(missing).toMatchObject({ code: 2, stderr: expect.stringContaining('it does not exist') });
      expect((await assay('perturbation', 'get', 'nli', 'static-1', 'kindness')).code).toBe(2);
    });
  });

  describe('benchmark versions', () => {
    it('are proposed, priced, activated and listed, and tell their history', async () => {
      writeFileSync(join(folder, 'next.jsonl'), jsonLines(examples(120)));
      const put = await done('dataset', 'put', 'nli', 'round-2', 'next.jsonl', '--round', '2');
      expect(put).toContain('assay benchmark preview nli');
      expect(await done('benchmark', 'list', 'nli')).toMatch(/Proposed, not active yet:\n +round-2 v1, 120/);

      const preview = await done('benchmark', 'preview', 'nli', '--datasets', 'round-2');
      expect(preview).toMatch(
        /Benchmark version \d+ would have .*round-2 v1\.\n\d+ evaluations? runs?, for an unknown time; 0 are/,
      );
      const activated = await done('benchmark', 'activate', 'nli');
      expect(activated).toMatch(/Benchmark version \d+ is released, with .*round-2 v1/);

      const listed = await done('benchmark', 'list', 'nli');
      expect(listed).toMatch(/^No datasets are proposed\./);
      expect(listed).toMatch(/v\d+ · .*round-2 v1\n[^]*round-2/);
      expect(await json('history', 'nli', '--models', ids.get('strong')!)).toMatchObject({
        models: [{ model: { name: 'strong' } }],
      });
      const history = await done('history', 'nli', '--models', 'strong');
      expect(history).toMatch(/nli: rank, score and accuracy % by benchmark version/);
      expect(history).toMatch(/strong +admin .*#1 {2}/);
      expect(history).not.toContain('weak');
    });

    it('refuse to activate what is not proposed', async () => {
      const { code, stderr } = await assay('benchmark', 'activate', 'nli', '--datasets', 'nowhere');
      expect(code).toBe(3);
      expect(stderr).toContain('nowhere');
    });
  });

  describe('task change', () => {
    it('takes keys and files, and says how many evaluations are scored again', async () => {
      writeFileSync(join(folder, 'change.yaml'), 'loop: { size: 2 }\n');
      const changed = await done('task', 'change', 'nli', 'change.yaml', 'metrics=[macro_f1, mcc]');
      expect(changed).toMatch(/^Changed the task nli\. \d+ evaluations are scored again/);
      expect(await json('task', 'show', 'nli')).toMatchObject({ loop: { size: 2 }, metrics: ['macro_f1', 'mcc'] });
      expect(await done('task', 'change', 'nli', 'description=Two words')).toContain('Two words');
    });

    it('refuses a key that is none', async () => {
      expect(await assay('task', 'change', 'nli', 'colour=red')).toMatchObject({ code: 3, stderr: /colour/ });
    });
  });

  it('submits by a protocol that it knows', async () => {
    writeFileSync(join(folder, 'model.tar'), 'bytes');
    const submit = [
      'submit',
      'nli',
      'model.tar',
      '--name',
      'By protocol',
      '--kind',
      'container',
      '--no-wait',
      '--json',
    ];
    const made = JSON.parse(await done(...submit, '--protocol', 'invocations')) as { id: string; protocol: string };
    expect(made).toMatchObject({ id: expect.stringMatching(UUID), protocol: 'invocations' });
    expect((await assay(...submit, '--protocol', 'telepathy')).code).toBe(2);
  });
});
