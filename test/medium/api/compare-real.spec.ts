import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { type ApiWorld, apiWorld } from '../../factories/worlds/api-world.js';
import { scoredModel } from '../../factories/models/scored-models.js';
import { describeWithRealData, sharedLines, sharedText } from '../../factories/worlds/shared-folder.js';

const LABELS = ['entailment', 'neutral', 'contradiction'];
const TASK = {
  slug: 'nli',
  name: 'NLI',
  inputs: [
    { name: 'context', type: 'text' },
    { name: 'hypothesis', type: 'text' },
  ],
  output: { name: 'label', type: 'label', labels: LABELS },
  performance: 'accuracy',
  slices: ['tags'],
};

interface Prediction {
  readonly uid: string;
  readonly round: number;
  readonly label: string;
  readonly prob: Readonly<Record<string, number>>;
}

interface Accuracy {
  readonly difference: { readonly value: number };
  readonly p: number;
  readonly holm: number;
  readonly detectable: number;
}

describeWithRealData('BART and RoBERTa on the three rounds of Adversarial NLI', () => {
  let world: ApiWorld;
  const ids: string[] = [];

  beforeAll(async () => {
    world = await apiWorld();
    const token = await world.user('owner');
    await world.call('POST', '/tasks', { token, body: TASK });
    for (const round of [1, 2, 3]) {
      await world.call('PUT', `/tasks/nli/datasets/anli-r${round}?role=round&round=${round}&visibility=public`, {
        token,
        type: 'application/x-ndjson',
        body: sharedText('data/nli', `anli-r${round}.dev.jsonl`),
      });
    }
    for (const name of ['anli-bart-large', 'anli-roberta-large']) {
      const predictions = sharedLines<Prediction>('data/nli/predictions', `${name}.jsonl`);
      const answers = new Map(predictions.map((each) => [`anli-r${each.round} ${each.uid}`, each]));
      const answer = (dataset: string, { id }: { readonly id: string }) => {
        const { label, prob } = answers.get(`${dataset} ${id}`)!;
        return { text: label, probabilities: LABELS.map((each) => prob[each]!) };
      };
      ids.push(await scoredModel(world, { slug: 'nli', name, token, answer }));
    }
  }, 300_000);
  afterAll(() => world.close());

  it('are apart on the third alone', async () => {
    const { body } = await world.call('GET', `/tasks/nli/compare?a=${ids[0]}&b=${ids[1]}`);
    const datasets = body.datasets as { n: number; metrics: { accuracy: Accuracy } }[];
    const found = datasets.map(({ n, metrics }) => [n, metrics.accuracy] as const);
    // counted with Python; p by scipy.stats.binom: 2·cdf(min, b + c, ½) − pmf(min, b + c, ½)
    const facts = [
      { n: 1000, a: 89, b: 92, p: 0.8240980930696924, better: null, detectable: 0.037688059512660375 },
      { n: 1000, a: 147, b: 135, p: 0.47570857309718173, better: null, detectable: 0.04703151074548854 },
      { n: 1198, a: 199, b: 148, p: 0.0061784500031463125, better: 'a', detectable: 0.04341945459256149 },
    ];
    for (const [place, { n, a, b, p, better, detectable }] of facts.entries()) {
      const [examples, accuracy] = found[place]!;
      expect(examples).toBe(n);
      expect(accuracy).toMatchObject({ discordant: { a, b }, better, test: 'mcnemar-mid-p' });
      expect(accuracy.difference.value).toBeCloseTo((a - b) / n, 12);
      expect(accuracy.p).toBeCloseTo(p, 10);
      expect(accuracy.detectable).toBeCloseTo(detectable, 12);
      expect(accuracy.holm).toBeGreaterThan(p);
    }
    expect(body.overall).toMatchObject({ comparable: 3, of: 3 });
    // weights 0.64, 0.8, 1: the latest round counts most
    const overall = (0.64 * -0.003 + 0.8 * 0.012 + (1 * 51) / 1198) / 2.44;
    expect(body.overall.metrics.accuracy.difference.value).toBeCloseTo(overall, 12);
  });
});
