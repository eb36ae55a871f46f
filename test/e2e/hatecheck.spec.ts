import type { LeaderboardView } from '@assay/contracts/boards';
import type { ModelView } from '@assay/contracts/models';
import { beforeAll, expect, it } from '@jest/globals';
import type { ServiceClient } from '../factories/worlds/service-client.js';
import { describeWithRealData, sharedLines, sharedText } from '../factories/worlds/shared-folder.js';
import { sharedService } from '../factories/worlds/shared-service.js';

const MODELS = ['bert-davidson2017', 'bert-founta2018'] as const;
type Name = (typeof MODELS)[number];

const LARGEST_GROUPS = ['women', 'trans people', 'disabled people'] as const;

/**
 * The accuracy of each model in the largest groups, over all rows of the group, in percent.
 * Computed by independent programs.
 */
const SLICES: Readonly<Record<Name, readonly number[]>> = {
  'bert-davidson2017': [37.5, 67.0, 68.8],
  'bert-founta2018': [50.7, 65.0, 37.6],
};

describeWithRealData('HateCheck, and what two real models answered on it', () => {
  const models = new Map<Name, ModelView>();
  let world: ServiceClient;
  let board: LeaderboardView;

  beforeAll(async () => {
    world = await sharedService();
    await world.task({
      slug: 'hatecheck',
      name: 'Hate speech',
      inputs: [{ name: 'text', type: 'text' }],
      output: { name: 'label', type: 'label', labels: ['hateful', 'not-hateful'] },
      performance: 'accuracy',
      metrics: ['macro_f1'],
      slices: [{ field: 'target', match: 'template' }, 'functionality'],
      cluster: 'template',
      weights: { accuracy: 1, 'worst:target': 1 },
      quota: { perDay: 20 },
    });
    await world.dataset('hatecheck', 'hatecheck', 'visibility=public', sharedText('data/hate/hatecheck.jsonl'));
    for (const name of MODELS) models.set(name, await submitted(name));
    board = await world.board('hatecheck', ({ rows }) => rows.length === MODELS.length);
  });

  it.each(MODELS)('gives %s, group by group, the accuracy that it has', (name) => {
    const { slices } = models.get(name)!.evaluations[0]!;

    expect(LARGEST_GROUPS.map((group) => percent(slices['target']![group]!.metrics['accuracy']!.value))).toEqual(
      SLICES[name],
    );
    // an empty target is not a slice
    expect(Object.keys(slices['target']!)).toHaveLength(7);
  });

  it('compares the groups on the templates that hold all of them', () => {
    const { worst, best, gap, matched, chance } = spreadOf('bert-davidson2017');

    expect(matched?.groups).toBe(421);
    expect(percent(matched!.values['women']!.value)).toBe(34.9);
    expect(percent(matched!.values['trans people']!.value)).toBe(69.1);
    expect([worst.slice, best.slice]).toEqual(['women', expect.any(String)]);
    expect(percent(worst.value)).toBe(34.9);
    expect(gap.value).toBeCloseTo(best.value - worst.value, 12);
    // the differences expected by chance among seven groups of that size
    expect(chance.mean).toBeGreaterThan(0);
    expect(chance.high).toBeLessThan(gap.low!);
  });

  it.each(MODELS)('gives the worst group and the gap of %s intervals that hold for all groups at once', (name) => {
    const { worst, gap } = spreadOf(name);
    const alone = models.get(name)!.evaluations[0]!.slices['target']![worst.slice]!.metrics['accuracy']!;

    for (const { value, low, high } of [worst, gap]) {
      expect(low).toBeLessThan(value);
      expect(high).toBeGreaterThan(value);
    }
    expect(worst.high! - worst.low!).toBeGreaterThan(alone.high! - alone.low!);
  });

  it('names the kinds of cases that a model differs on, of 29, as far as chance does not do as well', () => {
    const { standingOut } =
      models.get('bert-davidson2017')!.evaluations[0]!.sliceSpreads!['functionality']!['accuracy']!;

    expect(standingOut.length).toBeGreaterThan(5);
    expect(standingOut.length).toBeLessThan(29);
  });

  it('ranks by the worst group where the task weighs it', () => {
    const rows = Object.fromEntries(board.rows.map(({ model, metrics }) => [model.name, metrics]));

    for (const name of MODELS) {
      expect(rows[name]!['worst:target']!.value).toBe(spreadOf(name).worst.value);
      expect(rows[name]!['gap:target']!.value).toBe(spreadOf(name).gap.value);
    }
    expect(board.metrics.filter(({ weight }) => weight > 0).map(({ name }) => name)).toEqual([
      'accuracy',
      'worst:target',
    ]);
  });

  it('refuses a slice that no example has, by its name', async () => {
    const { status, body } = await world.call('PATCH', '/tasks/hatecheck', {
      token: world.admin,
      body: { slices: ['target', 'religion'] },
    });
    expect([status, body.code]).toEqual([422, 'unknown_slice_field']);
    expect(body.detail).toContain('religion');
  });

  function spreadOf(name: Name) {
    return models.get(name)!.evaluations[0]!.sliceSpreads!['target']!['accuracy']!;
  }

  async function submitted(name: Name): Promise<ModelView> {
    const lines = sharedLines<{ id: string; label: string }>('data/hate/predictions', `${name}.jsonl`).map(
      ({ id, label }) => JSON.stringify({ dataset: 'hatecheck', id, prediction: label }),
    );
    const id = await world.submit('hatecheck', { name, kind: 'predictions' }, Buffer.from(lines.join('\n')));
    return (await world.untilFinal(id)).model;
  }
});

const percent = (value: number): number => Math.round(value * 1000) / 10;
