import type { Comparison, Leaderboard } from '@assay/api-client/fetch';
import type { DatasetRow } from '@assay/tasks/examples';
import { requestForAllModels } from '@assay/evaluation/evaluations';
import { seededRng } from '@assay/kernel';
import { Model } from '@assay/submissions';
import { Task } from '@assay/tasks';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { comparisonText } from '../../apps/cli/src/format/comparison-text.js';
import { leaderboardText } from '../../apps/cli/src/format/leaderboard-text.js';
import { candidateCount, isTiedAt, standingsOf } from '../../apps/dashboard/src/app/leaderboard/board/standings.js';
import { publishBoard } from '../factories/models/published-board.js';
import { scoredModel, scoreQueued } from '../factories/models/scored-models.js';
import { type ApiWorld, apiWorld } from '../factories/worlds/api-world.js';

const EXAMPLES = 300;
const TASK = {
  slug: 'tone',
  name: 'Tone',
  inputs: [{ name: 'text', type: 'text' }],
  output: { name: 'label', type: 'label', labels: ['negative', 'positive'] },
  performance: 'accuracy',
  weights: { accuracy: 1 },
  quota: { perDay: 50, total: 50 },
  loop: { size: 0 },
};
const LINES = Array.from({ length: EXAMPLES }, (_, index) =>
  JSON.stringify({ id: String(index), text: `text ${index}`, label: index % 2 === 0 ? 'positive' : 'negative' }),
).join('\n');

/**
 * The wrong answers of each model. `copy` has the artifact of `best`, and `repacked` one that computes
 * the same. `guess` is not better than the majority label.
 */
const WRONG: Readonly<Record<string, readonly number[]>> = {
  best: [1, 2],
  copy: [1, 2],
  repacked: [1, 2, 8],
  near: [3, 4, 5, 6, 7],
  middle: drawn(60, 'middle'),
  close: drawn(64, 'close'),
  last: drawn(110, 'last'),
  guess: drawn(150, 'guess'),
  none: [],
  half: Array.from({ length: EXAMPLES / 2 }, (_, index) => 2 * index),
  // six more wrong answers than `middle`, which is significant for the two alone
  apart: [...new Set([...drawn(60, 'middle'), ...drawn(68, 'apart')])].slice(0, 66),
};

/** The models of the task `tone`. */
const MODELS = ['best', 'copy', 'repacked', 'near', 'middle', 'close', 'last', 'apart', 'guess'];

function drawn(count: number, seed: string): number[] {
  const rng = seededRng(seed);
  const wrong = new Set<number>();
  while (wrong.size < count) wrong.add(rng.below(EXAMPLES));
  return [...wrong];
}

const answer =
  (name: string) =>
  (_: string, { index, gold }: DatasetRow) => {
    const isWrong = WRONG[name]!.includes(index);
    return { text: isWrong ? (gold[0] === 'positive' ? 'negative' : 'positive') : gold[0]! };
  };

describe('every place that shows ranks says the same about them', () => {
  let world: ApiWorld;
  let board: Leaderboard;
  const get = (query: string) => fetch(`${world.url}/api/v1/tasks/tone/leaderboard?${query}`);

  beforeAll(async () => {
    world = await apiWorld();
    const token = await world.user('owner');
    expect((await world.call('POST', '/tasks', { token, body: TASK })).status).toBe(201);
    const put = { token, type: 'application/x-ndjson', body: LINES };
    expect((await world.call('PUT', '/tasks/tone/datasets/all?visibility=public', put)).status).toBe(201);
    for (const name of MODELS) {
      await scoredModel(world, {
        slug: 'tone',
        name,
        token,
        answer: answer(name),
        bytes: name === 'copy' ? 'best' : name,
      });
    }
    const em = world.orm.em.fork();
    const models = await em.find(Model, { name: ['best', 'repacked'] }, { populate: ['specification.artifact'] });
    for (const { specification } of models) {
      specification!.artifact.image = {
        ...{ port: 8080, protocol: null, unpackedBytes: 1, unreadable: [], contentDigest: 'c'.repeat(64) },
      };
    }
    await em.flush();
    expect(await publishBoard(world, 'tone')).not.toBeNull();
    board = (await (await get('')).json()) as Leaderboard;
  }, 300_000);
  afterAll(() => world.close());

  const named = (name: string) => board.rows.find(({ model }) => model.name === name)!;
  const ranked = () => board.rows.filter(({ rank }) => rank !== null);
  const candidates = () => board.rows.filter((row) => row.couldBeFirst).map(({ model }) => model.name);

  it('on the API: rank intervals, candidates and ties agree with each other', () => {
    expect(board.schema).toBe(2);
    expect(board.rows.map(({ couldBeFirst, rankLow }) => couldBeFirst === (rankLow === 1))).not.toContain(false);
    expect(candidates().toSorted()).toEqual(['best', 'copy', 'near', 'repacked']);
    for (const [place, { rankLow, rankHigh, tie, tied }] of ranked().entries()) {
      const isTied = (other: number) => tied!.some(([from, to]) => from <= other + 1 && other + 1 <= to);
      const ties = ranked().filter((_, other) => other !== place && isTied(other)).length;
      expect(rankHigh! - rankLow!).toBe(ties);
      expect(tie).toBe(place > 0 && isTied(place - 1));
    }
    expect(board.rows.some((row) => 'first' in row || 'tieHead' in row)).toBe(false);
  });

  it('a model below the baseline follows all others and has no rank', () => {
    expect(ranked()).toHaveLength(board.rows.length - 1);
    expect(board.rows.at(-1)).toMatchObject({
      ...{ model: { name: 'guess' }, belowBaseline: true, couldBeFirst: false, tie: false },
      ...{ rank: null, rankLow: null, rankHigh: null },
    });
    expect(ranked().every(({ belowBaseline }) => belowBaseline === false)).toBe(true);
  });

  it('copies of a model share one result and are named', () => {
    const [best, copy] = [named('best'), named('copy')];
    expect([copy.rankLow, copy.rankHigh]).toEqual([best.rankLow, best.rankHigh]);
    const repacked = named('repacked');
    expect([repacked.rankLow, repacked.rankHigh]).toEqual([best.rankLow, best.rankHigh]);
    expect(best.copies?.toSorted()).toEqual([copy.model.id, repacked.model.id].toSorted());
    expect(copy.copies?.toSorted()).toEqual([best.model.id, repacked.model.id].toSorted());
    expect(named('near').copies).toBeUndefined();
  });

  it('in the CSV and the LaTeX table', async () => {
    const [head, ...lines] = (await (await get('format=csv')).text()).trim().split('\n');
    const columns = head!.trim().split(',');
    const at = (line: string, column: string) => line.trim().split(',')[columns.indexOf(column)];
    const rows = lines.filter((line) => at(line, 'row') === 'ranked');
    expect(rows.map((line) => [at(line, 'model'), at(line, 'could_be_first'), at(line, 'tie')])).toEqual(
      ranked().map(({ model, couldBeFirst, tie }) => [model.name, couldBeFirst ? 'yes' : 'no', tie ? 'tied' : '']),
    );
    expect(columns).not.toContain('tie_head');
    const below = lines.filter((line) => at(line, 'row') === 'below baseline');
    expect(below.map((line) => [at(line, 'model'), at(line, 'rank')])).toEqual([['guess', '']]);
    const latex = await (await get('format=latex')).text();
    expect(latex).toContain('Models without a rank are not better than the baseline');
    expect(latex).toContain(`Could be first (95\\%), and tied with each other: ${candidates().join(', ')}.`);
    for (const { rank, rankLow, rankHigh } of ranked()) {
      if (rankLow !== rankHigh) expect(latex).toMatch(new RegExp(`${rank}.*${rankLow}.*${rankHigh}`));
    }
  });

  it('in the CLI', () => {
    const text = leaderboardText(board);
    const marked = text.split('\n').filter((line) => /^▌ \d/.test(line));
    expect(marked).toHaveLength(candidates().length);
    for (const [index, name] of candidates().entries()) expect(marked[index]).toContain(name);
    expect(text).toContain(`▌ could be first (95%): ${candidates().length} models.`);
    expect(text).not.toMatch(/[┌│└]/);
    expect(text).toMatch(/^ {2}· .*guess/m);
    expect(text).toContain('Models without a rank are not better than the baseline');
  });

  it('on the pages', () => {
    const standings = standingsOf(board.rows);
    expect(candidateCount(standings)).toBe(candidates().length);
    for (const [place, { model, tie }] of ranked().entries()) {
      expect(isTiedAt(standings.get(model.id)!, place - 1)).toBe(tie);
    }
  });

  describe('a comparison of two models', () => {
    const compare = (a: string, b: string, more = '') =>
      fetch(`${world.url}/api/v1/tasks/tone/compare?a=${a}&b=${b}${more}`);
    const compared = async (a: string, b: string) => (await (await compare(a, b)).json()) as Comparison;

    it('names the decision of the board where it differs, on the API, in the CLI, in CSV and LaTeX', async () => {
      const view = await compared('middle', 'apart');
      expect(view.overall.metrics['accuracy']).toMatchObject({ better: 'a' });
      expect(isTiedAt(standingsOf(board.rows).get(named('middle').model.id)!, board.rows.indexOf(named('apart')))).toBe(
        true,
      );
      expect(view.decision).toMatch(
        /^Significant on its own \(p = \.0\d+\), not after correcting for the 8 models on the board\.$/,
      );
      expect(comparisonText(view)).toContain(view.decision);
      for (const format of ['csv', 'latex']) {
        expect(await (await compare('middle', 'apart', `&format=${format}`)).text()).toContain(
          'not after correcting for the 8 models on the board',
        );
      }
    });

    it('has no decision where both agree', async () => {
      expect((await compared('best', 'near')).decision).toBeNull();
      expect((await compared('best', 'last')).decision).toBeNull();
    });
  });

  describe('a board against one of its models', () => {
    let against: Leaderboard;
    beforeAll(async () => {
      against = (await (await get('against=middle')).json()) as Leaderboard;
    });
    const verdicts = () =>
      Object.fromEntries(against.rows.map(({ model, against: found }) => [model.name, found?.verdict ?? null]));

    it('has the difference of each row, corrected for the rows', async () => {
      expect(against.against).toMatchObject({ model: { name: 'middle' }, metric: 'accuracy', rows: 8 });
      expect(verdicts()).toMatchObject({
        best: 'better',
        copy: 'better',
        near: 'better',
        close: 'none',
        last: 'worse',
        middle: null,
      });
      const { overall } = (await (
        await fetch(`${world.url}/api/v1/tasks/tone/compare?a=last&b=middle`)
      ).json()) as Comparison;
      const row = against.rows.find(({ model }) => model.name === 'last')!.against!;
      expect(row).toMatchObject({ p: overall.metrics['accuracy']!.p, comparable: 1, of: 1 });
      expect(row.difference).toEqual(overall.metrics['accuracy']!.difference);
      expect(row.holm).toBeGreaterThanOrEqual(row.p!);
      // everything else of the board is the same
      const bare = against.rows.map(({ against: _, ...others }) => others);
      expect(bare).toEqual(board.rows);
    });

    it('says the same in CSV, LaTeX and the CLI', async () => {
      const [head, ...lines] = (await (await get('against=middle&format=csv')).text()).trim().split('\n');
      const columns = head!.trim().split(',');
      const at = (line: string, column: string) => line.trim().split(',')[columns.indexOf(column)]!;
      const ranked = lines.filter((line) => at(line, 'row') !== 'reference');
      const words = { better: 'better', worse: 'worse', none: 'tied' };
      expect(ranked.map((line) => [at(line, 'model'), at(line, 'difference_verdict')])).toEqual(
        against.rows.map(({ model, against: found }) => [model.name, found ? words[found.verdict] : '']),
      );
      expect(await (await get('against=middle&format=latex')).text()).toContain('minus that of middle (owner)');
      const text = leaderboardText(against);
      expect(text).toContain('Last column: accuracy minus that of middle.');
      expect(text.split('\n').find((line) => line.includes(' close '))).toMatch(/≈ [+-]\d/);
    });

    it('refuses too many rows, an unknown model, and a version before the first', async () => {
      const refusal = async (query: string) => {
        const response = await get(query);
        return [response.status, ((await response.json()) as { readonly code: string }).code];
      };
      expect(await refusal('against=middle&limit=201')).toEqual([422, 'too_many_rows']);
      expect(await refusal('against=nobody')).toEqual([404, 'unknown_model']);
      expect(await refusal('against=previous')).toEqual([409, 'no_previous_version']);
    });
  });

  it('a board against the previous version has what new data changes for each model', async () => {
    const token = await world.user('owner');
    const slug = 'moved';
    const put = async (name: string, lines: string) => {
      const body = { token, type: 'application/x-ndjson', body: lines };
      expect((await world.call('PUT', `/tasks/${slug}/datasets/${name}?visibility=public`, body)).status).toBe(201);
    };
    const read = async () =>
      (await world.call('GET', `/tasks/${slug}/leaderboard?against=previous`)).body as unknown as Leaderboard;
    expect((await world.call('POST', '/tasks', { token, body: { ...TASK, slug } })).status).toBe(201);
    await put('all', LINES);
    // `riser` is right on all new data, `faller` is wrong on half of it
    const answers = {
      riser: (dataset: string, row: DatasetRow) => answer(dataset === 'all' ? 'last' : 'none')(dataset, row),
      faller: (dataset: string, row: DatasetRow) => answer(dataset === 'all' ? 'near' : 'half')(dataset, row),
    };
    for (const [name, given] of Object.entries(answers)) {
      await scoredModel(world, { slug, name, token, answer: given });
    }
    await publishBoard(world, slug);
    const before = (await world.call('GET', `/tasks/${slug}/leaderboard`)).body as unknown as Leaderboard;
    await put('new', LINES.replaceAll('"text ', '"new '));
    expect((await world.call('POST', `/tasks/${slug}/benchmark-versions`, { token, body: {} })).status).toBe(201);

    const em = world.orm.em.fork();
    const { id: taskId } = await em.findOneOrFail(Task, { slug });
    await requestForAllModels(em, { taskId });
    for (const { id, name } of before.rows.map(({ model }) => model)) {
      await scoreQueued(world, id, answers[name as keyof typeof answers]);
    }
    expect(await publishBoard(world, slug)).not.toBeNull();

    const now = await read();
    expect(now.benchmarkVersion).toBe(before.benchmarkVersion + 1);
    expect(now.against).toEqual({ benchmarkVersion: before.benchmarkVersion, metric: 'accuracy', rows: 2 });
    for (const { model, metrics, against } of now.rows) {
      const earlier = before.rows.find((row) => row.model.id === model.id)!.metrics['accuracy']!;
      expect(against!.difference.value).toBeCloseTo(metrics['accuracy']!.value - earlier.value, 10);
      expect(against).toMatchObject({ verdict: model.name === 'riser' ? 'better' : 'worse', comparable: 2, of: 2 });
    }
    expect(leaderboardText(now)).toContain('that of the same model on benchmark version');
  });
});
