import type { CompareView, HistoryView, LeaderboardView, TaskView } from '@assay/contracts';
import { beforeAll, expect, it } from '@jest/globals';
import type { ServiceClient } from '../factories/service-client.js';
import { describeWithRealData, sharedLines, sharedText } from '../factories/shared-folder.js';
import { sharedService } from '../factories/shared-service.js';

const ROUNDS = [1, 2, 3] as const;
const LABELS = ['entailment', 'neutral', 'contradiction'] as const;
/** In the order of the rounds that were collected against them. */
const IN_THE_LOOP = ['bert-r1', 'roberta-from-r2', 'roberta-from-r3'] as const;
const NAMES = [...IN_THE_LOOP, 'anli-bart-large', 'anli-roberta-large'] as const;
type Name = (typeof NAMES)[number];

interface Recorded {
  readonly uid: string;
  readonly round: number;
  readonly label: string;
  readonly prob: Readonly<Record<string, number>>;
}

describeWithRealData('the board of ANLI, whose rounds were collected against three of its models', () => {
  const ids = new Map<Name, string>();
  let world: ServiceClient;
  let raw: LeaderboardView;
  let adjusted: LeaderboardView;

  beforeAll(async () => {
    world = await sharedService();
    await world.task({
      slug: 'anli-board',
      name: 'Natural language inference',
      inputs: [
        { name: 'context', type: 'text' },
        { name: 'hypothesis', type: 'text' },
      ],
      output: { name: 'label', type: 'label', labels: [...LABELS] },
      performance: 'accuracy',
      cluster: 'context',
      weights: { accuracy: 1 },
      quota: { perDay: 10 },
    });
    for (const round of ROUNDS) {
      const query = `role=round&round=${round}&visibility=public`;
      await world.dataset('anli-board', `anli-r${round}`, query, sharedText('data/nli', `anli-r${round}.dev.jsonl`));
    }
    for (const name of NAMES) ids.set(name, await submitted(name));
    raw = await world.board('anli-board', ({ rows }) => rows.length === NAMES.length);
    for (const [index, name] of IN_THE_LOOP.entries()) {
      await owner('PATCH', `/tasks/anli-board/datasets/anli-r${index + 1}`, { against: [ids.get(name)!] });
    }
    adjusted = await world.board('anli-board', ({ rows }) => rows.filter(({ own }) => own?.length).length === 3);
  });

  it('puts a model where it stands without the round that was collected against it, and says so', async () => {
    const before = accuracyOf(raw, 'roberta-from-r3');
    const after = accuracyOf(adjusted, 'roberta-from-r3');

    expect(percent(before.value)).toBe(41.8);
    expect(after.value - before.value).toBeGreaterThan(0.07);
    expect(after).toMatchObject({ estimated: true });
    expect(rowOf(adjusted, 'roberta-from-r3').own).toEqual(['anli-r3']);
    expect(rowOf(adjusted, 'anli-bart-large').own).toBeUndefined();
    // the cell itself stays as it was measured
    expect(percent(rowOf(adjusted, 'bert-r1').datasets['anli-r1']!['accuracy']!.value)).toBe(0);

    const counted = await board('?ownRounds=count');
    expect(counted.official).toBe(false);
    for (const name of NAMES) expect(accuracyOf(counted, name).value).toBe(accuracyOf(raw, name).value);
  });

  it('gives ranks intervals that hold them, from joint draws', () => {
    for (const { rank, rankLow, rankHigh, first } of adjusted.rows) {
      expect(rankLow).toBeLessThanOrEqual(rank);
      expect(rankHigh).toBeGreaterThanOrEqual(rank);
      expect(first).toBeLessThanOrEqual(1);
    }
    // the two best are close to each other, and far from the last
    expect(adjusted.rows[0]!.rankHigh).toBeLessThan(5);
    expect(adjusted.rows[4]!.first).toBe(0);
  });

  it('says how sure models are of what they answer', async () => {
    const { evaluations } = await world.model(ids.get('anli-roberta-large')!);
    const { calibration } = evaluations[0]!;

    expect(calibration!.n).toBe(1000);
    expect(calibration!.bins).toHaveLength(15);
    expect(calibration!.bins.reduce((sum, { n }) => sum + n, 0)).toBe(1000);
    expect(calibration!.ece.value).toBeGreaterThan(0.05);
  });

  it('compares two models on the examples that both have answered', async () => {
    const { body } = await world.call('GET', '/tasks/anli-board/compare?a=anli-bart-large&b=anli-roberta-large');
    const { datasets, overall } = body as CompareView;

    expect(datasets.map(({ dataset, n }) => [dataset, n])).toEqual([
      ['anli-r1', 1000],
      ['anli-r2', 1000],
      ['anli-r3', 1198],
    ]);
    const third = datasets[2]!.metrics['accuracy']!;
    expect(percent(third.difference.value)).toBe(4.3);
    expect(third.better).toBe('a');
    expect(datasets[0]!.metrics['accuracy']!.better).toBeNull();
    expect(overall).toMatchObject({ comparable: 3, of: 3, missing: [] });
  });

  it('leaves what was collected against one of the two out of their comparison', async () => {
    const { body } = await world.call('GET', '/tasks/anli-board/compare?a=anli-bart-large&b=roberta-from-r3');
    const { datasets, overall } = body as CompareView;

    expect(datasets[2]).toMatchObject({ own: { a: false, b: true } });
    expect(overall).toMatchObject({ comparable: 2, of: 3 });
  });

  it('computes a metric that is added from the stored predictions of all models, and runs nothing', async () => {
    const { body } = await owner('PATCH', '/tasks/anli-board', { metrics: ['macro_f1', 'auroc'] });
    expect((body as TaskView & { rescored: number }).rescored).toBe(NAMES.length * ROUNDS.length);

    const board = await world.board(
      'anli-board',
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
    await world.dataset('anli-board', 'anli-r1', 'role=round&round=1', lines);

    const preview = await owner('POST', '/tasks/anli-board/benchmark-versions?preview', {});
    expect(preview.body).toMatchObject({ evaluations: 0, rescored: NAMES.length });
    await owner('POST', '/tasks/anli-board/benchmark-versions', {});
    const board = await world.board('anli-board', ({ benchmarkVersion }) => benchmarkVersion === 3);

    expect(board.datasets.find(({ name }) => name === 'anli-r1')).toMatchObject({ version: 2 });
    for (const name of NAMES) {
      const [old, now] = [adjusted, board].map((each) => rowOf(each, name).datasets['anli-r1']!['accuracy']!.value);
      expect(Math.abs(now! - old!) * 1000).toBeLessThan(1.001);
    }
    expect(await text('/leaderboard?asOf=v2')).toBe(before);
    expect(await runs()).toBe(NAMES.length);
  });

  it('tells what changed from one benchmark version to the next, and every rank on each', async () => {
    const { body } = await world.call('GET', '/tasks/anli-board/history');
    const history = body as HistoryView;

    expect(history.versions.map(({ benchmarkVersion }) => benchmarkVersion)).toEqual([1, 2, 3]);
    expect(history.models).toHaveLength(NAMES.length);
  });

  const owner = (method: string, path: string, body: object) =>
    world.call(method, path, { token: world.admin, body }).then((answer) => {
      if (answer.status >= 300) throw new Error(JSON.stringify(answer.body));
      return answer;
    });

  async function runs(): Promise<number> {
    const [counted] = await world.rows<{ count: number }>(
      `select count(distinct r.id)::int as count from run r join model m on m.specification_id = r.specification_id
        join task t on t.id = m.task_id where t.slug = 'anli-board'`,
    );
    return counted!.count;
  }

  const text = async (path: string): Promise<string> =>
    (await fetch(`${world.url}/api/v1/tasks/anli-board${path}`)).text();

  const board = async (query: string): Promise<LeaderboardView> =>
    JSON.parse(await text(`/leaderboard${query}`)) as LeaderboardView;

  async function submitted(name: Name): Promise<string> {
    const lines = sharedLines<Recorded>('data/nli/predictions', `${name}.jsonl`).map(({ uid, round, label, prob }) =>
      JSON.stringify({ dataset: `anli-r${round}`, id: uid, prediction: { label, probabilities: prob } }),
    );
    const id = await world.submit('anli-board', { name, kind: 'predictions' }, Buffer.from(lines.join('\n')));
    const { model } = await world.untilFinal(id);
    expect(model.state).toBe('scored');
    return id;
  }
});

const rowOf = (board: LeaderboardView, name: Name) => board.rows.find(({ model }) => model.name === name)!;

const accuracyOf = (board: LeaderboardView, name: Name) => rowOf(board, name).metrics['accuracy']!;

const percent = (value: number): number => Math.round(value * 1000) / 10;
