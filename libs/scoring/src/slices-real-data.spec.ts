import { expect, it } from '@jest/globals';
import { describeWithRealData, sharedLines } from '../../../test/factories/worlds/shared-folder.js';
import { MetricAccumulator, type CompleteScores } from './metric-accumulator.js';

const percent = (value: number): number => Math.round(value * 1000) / 10;
const noPause = () => Promise.resolve();

interface Case {
  readonly id: number;
  readonly label: string;
  readonly target: string;
  readonly template: string;
}

function hateCheck(model: string, match?: 'template'): Promise<CompleteScores> {
  const answers = new Map(
    sharedLines<{ id: number; label: string }>(`data/hate/predictions/${model}.jsonl`).map(({ id, label }) => [
      id,
      label,
    ]),
  );
  const accumulator = new MetricAccumulator({
    output: 'label',
    labels: ['hateful', 'non-hateful'],
    metrics: ['accuracy', 'macro_f1'],
    seed: 'hatecheck',
    slices: [{ field: 'target', ...(match && { match }) }],
  });
  for (const { id, label, target, template } of sharedLines<Case>('data/hate/hatecheck.jsonl')) {
    accumulator.add({
      gold: [label],
      predicted: answers.get(id)!,
      slices: { target: [target] },
      matches: { target: template },
    });
  }
  return accumulator.complete(noPause);
}

describeWithRealData('slices of real models', () => {
  it('are compared within the templates that hold every target alike, where they are matched', async () => {
    const { sliceSpreads, slices } = await hateCheck('bert-davidson2017', 'template');
    const { worst, best, gap, chance, matched, standingOut, slices: compared } = sliceSpreads['target']!['accuracy']!;

    expect([compared, matched!.groups]).toEqual([7, 421]);
    expect(new Set(Object.values(matched!.values).map(({ n }) => n))).toEqual(new Set([421]));
    expect([worst.slice, percent(worst.value)]).toEqual(['women', 34.9]);
    expect(percent(matched!.values['trans people']!.value)).toBe(69.1);
    expect(best.value - worst.value).toBeCloseTo(gap.value, 12);
    // the slice itself stays that of all its examples
    expect(percent(slices['target']!['women']!.metrics['accuracy']!.value)).toBe(37.5);
    expect(chance.high).toBeLessThan(gap.low!);
    expect(standingOut).toContain('women');
  });

  it('show a gap that chance does not give', async () => {
    const { sliceSpreads, slices, resamples } = await hateCheck('bert-founta2018');
    const { worst, gap, chance, matched, standingOut } = sliceSpreads['target']!['accuracy']!;
    const accuracy = (target: string) => percent(slices['target']![target]!.metrics['accuracy']!.value);

    expect(matched).toBeUndefined();
    expect([accuracy('disabled people'), accuracy('women'), accuracy('trans people')]).toEqual([37.6, 50.7, 65]);
    expect([worst.slice, percent(worst.value)]).toEqual(['disabled people', 37.6]);
    expect(gap.low).toBeGreaterThan(chance.high);
    expect(standingOut).toEqual(expect.arrayContaining(['disabled people', 'women', 'trans people']));
    expect(Object.keys(resamples).sort()).toEqual(['accuracy', 'gap:target', 'macro_f1', 'right', 'worst:target']);
    expect(sliceSpreads['target']!['macro_f1']!.slices).toBe(7);
  });

  it('may overlap: the tags of the ANLI rounds', async () => {
    const answers = new Map(
      sharedLines<{ uid: string; label: string }>('data/nli/predictions/anli-roberta-large.jsonl').map((line) => [
        line.uid,
        line.label,
      ]),
    );
    const accumulator = new MetricAccumulator({
      output: 'label',
      labels: ['entailment', 'neutral', 'contradiction'],
      metrics: ['accuracy'],
      seed: 'anli',
      slices: [{ field: 'tags' }],
    });
    type Round = { uid: string; label: string; context: string; tags: string[] | string };
    for (const { uid, label, context, tags } of sharedLines<Round>('data/nli/anli-r3.dev.jsonl')) {
      accumulator.add({
        gold: [label],
        predicted: answers.get(uid)!,
        cluster: context,
        slices: { tags: Array.isArray(tags) ? tags : [tags] },
      });
    }
    const { metrics, slices, sliceSpreads } = await accumulator.complete(noPause);

    expect(percent(metrics['accuracy']!.value)).toBe(46.1);
    const large = Object.entries(slices['tags']!).filter(([, { n }]) => n >= 30);
    const values = large.map(([, scores]) => scores.metrics['accuracy']!.value);
    const spread = sliceSpreads['tags']!['accuracy']!;
    expect(spread.slices).toBe(large.length);
    expect([spread.worst.value, spread.best.value]).toEqual([Math.min(...values), Math.max(...values)]);
    expect(spread.gap.low).toBeLessThan(spread.gap.value);
    expect(spread.gap.high).toBeGreaterThan(spread.gap.value);
    // for all slices at once, so wider than for one alone
    const alone = slices['tags']![spread.worst.slice]!.metrics['accuracy']!;
    expect(spread.worst.high! - spread.worst.low!).toBeGreaterThan(alone.high! - alone.low!);
  });
});
