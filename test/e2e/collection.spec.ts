import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AnnotationView, CollectionNumbers } from '@assay/contracts/annotating';
import type { LeaderboardView, LoopView } from '@assay/contracts/boards';
import type { RoundView } from '@assay/contracts/rounds';
import type { TaskDefinitionInput } from '@assay/contracts/tasks';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { buildSubmissionImage } from '../factories/models/submission-image.js';
import { cliIn } from '../factories/services/cli-runner.js';
import { CollectionWorld, type Judgement } from '../factories/worlds/collection-world.js';
import { INFERENCE_TASK, LABELS } from '../factories/models/inference-task.js';
import { ServiceWorld } from '../factories/worlds/service-world.js';
import { isShared, sharedLines } from '../factories/worlds/shared-folder.js';
import { inFullForm, isFullForm } from '../factories/test-form.js';

jest.setTimeout(600_000);

/** The models: whose recorded predictions each replays, and who submits it. */
const MODELS = {
  bert: { record: 'bert-r1', owner: 'ada' },
  roberta: { record: 'roberta-from-r2', owner: 'bob' },
  large: { record: 'anli-roberta-large', owner: 'carol' },
} as const;
type Name = keyof typeof MODELS;
const NAMES = Object.keys(MODELS) as Name[];

const ANNOTATORS = Array.from({ length: isFullForm ? 12 : 6 }, (_, index) => `annotator-${index + 1}`);
const VALIDATORS = Array.from({ length: isFullForm ? 5 : 4 }, (_, index) => `validator-${index + 1}`);
const EXAMPLES = isFullForm ? 200 : 40;
/** The number of written examples that `large` answers correctly and `roberta` does not. */
const APART = isFullForm ? 60 : 40;

interface Anli {
  readonly uid: string;
  readonly context: string;
  readonly hypothesis: string;
  readonly label: (typeof LABELS)[number];
  readonly model_label: string;
  readonly explanation: string;
  readonly tags: readonly string[];
}

interface Recorded {
  readonly uid: string;
  readonly label: string;
  readonly prob: Readonly<Record<string, number>>;
}

const { firstRound, secondRound, records } = isShared ? realData() : inventedData();

const isRight = (name: Name, { uid, label }: Anli): boolean => records[name].get(uid)?.label === label;

/**
 * The examples that the annotators write: the first of each context, `APART` of them such that
 * `large` is right and `roberta` is wrong.
 */
const written = ((): readonly Anli[] => {
  const firsts = [...new Map(firstRound.toReversed().map((each) => [each.context, each])).values()].toReversed();
  const head = firsts.slice(0, EXAMPLES - APART);
  const apart = firsts.slice(head.length).filter((each) => isRight('large', each) && !isRight('roberta', each));
  return [...head, ...apart.slice(0, APART)];
})();

/**
 * The examples of the dataset that exists before anything is collected. `roberta`, which was
 * trained on that data, leads on it.
 */
const start = [
  ...secondRound.filter((each) => isRight('roberta', each) && !isRight('large', each)).slice(0, 24),
  ...secondRound.filter((each) => isRight('large', each) && !isRight('roberta', each)).slice(0, 16),
  ...secondRound.filter((each) => isRight('large', each) === isRight('roberta', each)).slice(0, 20),
];

const exampleOf = new Map(written.map((each, index) => [each.hypothesis, { ...each, index }]));
const other = (...labels: readonly string[]): string => LABELS.find((label) => !labels.includes(label))!;

/**
 * The verdict that every validator gives. Of 20 examples, `bert` is right on one, a third label is
 * right on another, and one in eight is flagged.
 */
function judgementOf(hypothesis: string): Judgement {
  const example = exampleOf.get(hypothesis);
  if (!example) return { kind: 'correct', label: check.label };
  const { index, label, model_label: answered } = example;
  if (index % 20 === 3) return { kind: 'incorrect', label: answered };
  if (index % 20 === 9) return { kind: 'incorrect', label: other(label, answered) };
  if (index % 8 === 6) return { kind: 'flagged', reason: 'It has nothing to do with the passage.' };
  return { kind: 'correct', label };
}

/** A gold check: an example with a known label, which validators receive among the others. */
const check = {
  context: 'The bridge was opened in 1932 and closed for repairs in 1999.',
  hypothesis: 'The bridge was closed after it was opened.',
  label: 'entailment',
};

const task = (slug: string): TaskDefinitionInput => ({
  slug,
  ...INFERENCE_TASK,
  slices: ['tags'],
  aggregate: { minimumExamples: 20 },
  limits: { memory: '160MiB' },
  quota: { perDay: 50 },
  loop: { size: 1 },
  collection: {
    validations: 3,
    explanations: ['example', 'model'],
    examplesPerContext: 1,
    shares: { train: 0.2, dev: 0.2, test: 0.6 },
    next: 'open',
    consent: { version: '1', text: 'You take part in a test.' },
    licence: { name: 'CC0-1.0', version: '1', text: 'Nobody owns it.' },
  },
});

/** The outcome of a play, without the parts that differ each time: IDs, times and digests. */
interface End {
  readonly round: Pick<RoundView, 'state' | 'counts' | 'closingStep'>;
  readonly submitted: number;
  readonly mer: string;
  readonly vmer: string;
  /** The number of examples by split. */
  readonly sizes: Readonly<Record<string, number>>;
  readonly first: string;
  /** The names of own datasets, by model. */
  readonly own: Readonly<Record<string, readonly string[]>>;
  readonly loop: readonly string[];
  readonly next: { readonly number: number; readonly state: string; readonly models: readonly string[] };
}

describe(`collection, from an open round to the next, on ${isShared ? 'real' : 'invented'} data`, () => {
  const folder = mkdtempSync(join(tmpdir(), 'assay-collection-'));
  // one image per model: data collected against a model counts as collected against all models with
  // the same image
  const images = new Map<Name, string>();
  let service: ServiceWorld;
  let straight: End;

  beforeAll(async () => {
    service = await ServiceWorld.start({ ASSAY_SIGN_INS_PER_MINUTE: '1000' });
    for (const name of NAMES) images.set(name, await recordedImage(folder, name));
    await Promise.all([...ANNOTATORS, ...VALIDATORS].map((who) => service.user(who)));
  });

  afterAll(async () => {
    rmSync(folder, { recursive: true, force: true });
    await service?.close();
  });

  it('turns what people wrote into datasets, scores all models on them, and opens the next round with another model', async () => {
    straight = await play('straight');
    const assay = cliIn(folder);
    const server = ['--url', service.url, '--token', join(service.home, 'admin-token')];
    const status = await assay('round', 'status', 'straight', '1', ...server);
    expect(status).toMatchObject({ code: 0, stdout: expect.stringContaining('r1-test: ') });
    const exported = await assay('export', 'straight', '--round', '1', '--outcome', 'validated', ...server);
    expect(exported.stdout.trimEnd().split('\n')).toHaveLength(straight.round.counts.validated);

    const kinds = written.map(({ hypothesis }) => judgementOf(hypothesis));
    const flagged = kinds.filter(({ kind }) => kind === 'flagged').length;
    const validated = EXAMPLES - flagged;
    // the model was not fooled if the validators agree with it
    const notFooled = written.filter(({ hypothesis, model_label: answered }) => {
      const judgement = judgementOf(hypothesis);
      return judgement.kind !== 'flagged' && judgement.label === answered;
    }).length;
    expect([flagged, notFooled]).toEqual([EXAMPLES / 8, EXAMPLES / 20]);

    expect(straight.round).toMatchObject({
      state: 'closed',
      closingStep: null,
      counts: {
        examples: EXAMPLES,
        annotators: ANNOTATORS.length,
        contexts: EXAMPLES,
        retracted: 1,
        validated,
        flagged,
        pending: 0,
      },
    });
    expect(straight.submitted).toBe(EXAMPLES);
    expect(straight.mer).toBe(`${EXAMPLES - notFooled}/${EXAMPLES}`);
    expect(straight.vmer).toBe(`${validated - notFooled}/${EXAMPLES}`);
    expect(straight.sizes).toEqual({ train: 0.2 * validated, dev: 0.2 * validated, test: 0.6 * validated });

    expect(straight.first).toBe('large');
    expect(straight.own).toEqual({ bert: ['r1-dev', 'r1-fooling', 'r1-test'] });
    expect(straight.loop).toEqual(['large']);
    expect(straight.next).toEqual({ number: 2, state: 'open', models: ['large'] });
  });

  // CI interrupts a round at every step in test/medium/rounds.spec.ts
  inFullForm('comes to the same end when the service is killed on the way', async () => {
    const killed = await play('killed', ['round.settled', 'round.frozen', 'round.promoted']);

    expect(killed).toEqual(straight);
  });

  /**
   * Plays a round from its opening to its end.
   * @param failpoints Where the worker is killed, one after the other. If there are any, the API
   * is restarted too.
   */
  async function play(slug: string, failpoints: readonly string[] = []): Promise<End> {
    const world = new CollectionWorld(service, slug);
    await service.task(task(slug));
    const lines = start.map((each) => JSON.stringify(each)).join('\n');
    await service.dataset(slug, 'start', 'role=static&visibility=public', lines);
    const ids = await submitted(slug);
    await untilLoop(slug, ['roberta']);

    const [first = ''] = failpoints;
    if (first !== '') await restartWorker(first);
    await world.openRound({ models: [ids.bert], turn: { examples: EXAMPLES } });
    await world.put(
      1,
      'contexts',
      written.map(({ uid, context, tags }) => ({ id: uid, context, tags })),
    );
    await world.put(1, 'examples?check=true', [check]);
    await writeAll(world, failpoints.length > 0);
    await Promise.all([validateAll(world), ...(first === '' ? [] : [killAt(failpoints)])]);

    const round = await world.roundWhen(1, ({ state }) => state === 'closed');
    return endOf(world, round, ids);
  }

  /** Submits the three models. Their images are the same in every play. */
  async function submitted(slug: string): Promise<Record<Name, string>> {
    const pairs: [Name, string][] = [];
    for (const name of NAMES) {
      const submission = { name, kind: 'container' } as const;
      pairs.push([name, await service.submit(slug, submission, images.get(name)!, MODELS[name].owner)]);
    }
    for (const [name, id] of pairs) {
      const { model } = await service.untilFinal(id, MODELS[name].owner);
      expect(model).toMatchObject({ state: 'scored' });
    }
    return Object.fromEntries(pairs) as Record<Name, string>;
  }

  async function untilLoop(slug: string, names: readonly string[]): Promise<void> {
    const board = await service.board(slug, ({ rows }) => rows.length === NAMES.length);
    expect(board.rows[0]!.model.name).toBe(names[0]);
    await service.until(async () => String(await loopOf(slug)) === String(names), 30_000);
  }

  async function loopOf(slug: string): Promise<string[]> {
    const { body } = await service.call('GET', `/tasks/${slug}/loop`);
    return (body as LoopView).models.map(({ model }) => model.name);
  }

  async function restartWorker(failpoint: string): Promise<void> {
    await service.stopWorker();
    service.startWorker({ ASSAY_FAILPOINT: failpoint });
  }

  async function killAt(failpoints: readonly string[]): Promise<void> {
    for (const following of [...failpoints.slice(1), '']) {
      expect(await service.worker.ended).toBe('was ended by SIGKILL');
      service.startWorker(following === '' ? {} : { ASSAY_FAILPOINT: following });
    }
  }

  /**
   * Lets all annotators write concurrently until every example is written. The first annotator
   * retracts one.
   */
  async function writeAll(world: CollectionWorld, isApiKilled: boolean): Promise<void> {
    await Promise.all(ANNOTATORS.map((who) => world.consent(who)));
    const taken = (await write(world, ANNOTATORS[0]!, 'taken-back'))!;
    const token = await service.user(ANNOTATORS[0]!);
    await service.expect(200, 'POST', `/annotations/${taken.id}/retract`, { token });

    let begun = 0;
    let restarted: Promise<void> | undefined;
    const writers = ANNOTATORS.map(async (who) => {
      while (begun < EXAMPLES) {
        begun++;
        if (isApiKilled && begun === EXAMPLES / 2) restarted = service.restartApi();
        const annotation = (await write(world, who))!;
        expect(annotation).toMatchObject({ fooled: true, missing: [], answers: [{ place: 1 }] });
      }
    });
    await Promise.all(writers);
    await restarted;
  }

  function write(world: CollectionWorld, who: string, mark = 'sent'): Promise<AnnotationView | null> {
    return world.annotate(who, ({ context: { content } }) => {
      const example = written.find(({ context }) => context === content['context'])!;
      return {
        key: `${mark}-${example.uid}`,
        input: { hypothesis: example.hypothesis },
        label: example.label,
        explanations: { example: example.explanation, model: 'It was trained on something else.' },
      };
    });
  }

  /**
   * Lets all validators work concurrently, each until nothing is left for them, and waits until no
   * example is pending.
   */
  async function validateAll(world: CollectionWorld): Promise<void> {
    await Promise.all(VALIDATORS.map((who) => world.consent(who)));
    const checked = new Set<string>();
    await Promise.all(
      VALIDATORS.map(async (who) => {
        while (
          await world.validate(who, ({ input }) => {
            if (input['hypothesis'] === check.hypothesis) checked.add(who);
            return judgementOf(String(input['hypothesis']));
          })
        );
      }),
    );
    expect(checked.size).toBeGreaterThan(0);
    await world.roundWhen(1, ({ counts }) => counts.pending === 0);
  }

  /**
   * Compares the scores with the records. The splits are drawn at random, so the expected accuracy
   * is computed from the content of the dataset.
   */
  async function expectScores({ rows }: LeaderboardView, slug: string, dataset: string): Promise<void> {
    const path = `/tasks/${slug}/datasets/${dataset}/content`;
    const { body } = await service.expect(200, 'GET', path, { token: service.admin });
    const gold = (body as string)
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Pick<Anli, 'hypothesis' | 'label'>);
    for (const { model, datasets } of rows) {
      const record = records[model.name as Name];
      const right = gold.filter(
        ({ hypothesis, label }) => record.get(exampleOf.get(hypothesis)!.uid)!.label === label,
      ).length;
      // the figure of the model that the round was collected against is fitted
      const { value, measured = value } = datasets[dataset]!['accuracy']!;
      expect(measured).toBeCloseTo(right / gold.length, 12);
    }
  }

  async function endOf(world: CollectionWorld, round: RoundView, ids: Record<Name, string>): Promise<End> {
    const { task: slug } = world;
    const against = await service.call('GET', `/tasks/${slug}`);
    const dataset = round.releases.find(({ part }) => part === 'test')!.dataset;
    expect(against.body.datasets).toContainEqual(
      expect.objectContaining({ name: dataset, round: 1, use: 'scoring', visibility: 'hidden', against: [ids.bert] }),
    );
    const board = await service.board(
      slug,
      ({ rows }) => rows.length === NAMES.length && rows.every(({ datasets }) => dataset! in datasets),
    );
    await expectScores(board, slug, dataset!);
    const second = await world.roundWhen(2, ({ state }) => state === 'open');
    const numbers = await service.expect(200, 'GET', `/tasks/${slug}/rounds/1/numbers`, { token: service.admin });
    const { submitted, mer, vmer } = (numbers.body as CollectionNumbers).total;
    expect(vmer.value).toBeCloseTo(vmer.numerator / vmer.denominator, 12);
    // which examples are in the test split is random, and so is the number that fooled the model
    const splits = round.releases.filter(({ part }) => part !== 'fooling');
    expect(splits).toHaveLength(round.releases.length - 1);
    const { state, counts, closingStep } = round;
    return {
      round: { state, counts, closingStep },
      submitted,
      mer: `${mer.numerator}/${mer.denominator}`,
      vmer: `${vmer.numerator}/${vmer.denominator}`,
      sizes: Object.fromEntries(splits.map(({ part, examples }) => [part, examples])),
      first: board.rows[0]!.model.name,
      own: Object.fromEntries(
        board.rows.flatMap(({ model, own = [] }) => (own.length > 0 ? [[model.name, own.toSorted()]] : [])),
      ),
      loop: await loopOf(slug),
      next: { number: second.number, state: second.state, models: second.models.map(({ model }) => model.name) },
    };
  }
});

/** Builds an image that replays the model's recorded answers to the examples of this test. */
async function recordedImage(folder: string, name: Name): Promise<string> {
  const answers = Object.fromEntries(
    [...firstRound, ...secondRound].flatMap(({ uid, context, hypothesis }) => {
      const record = records[name].get(uid);
      return record ? [[`${context}\n${hypothesis}`, { label: record.label, probabilities: record.prob }]] : [];
    }),
  );
  const path = join(folder, `${name}.tar.zst`);
  const server = join(import.meta.dirname, 'models/recorded.mjs');
  const content = JSON.stringify({ ...answers, '': 'neutral' });
  await buildSubmissionImage({ server, files: { '/app/answers.json': { content } } }, path, `${name}:1`);
  return path;
}

interface Data {
  readonly firstRound: readonly Anli[];
  readonly secondRound: readonly Anli[];
  readonly records: Readonly<Record<Name, ReadonlyMap<string, Recorded>>>;
}

/** Adversarial NLI, with the recorded answers of real models. */
function realData(): Data {
  const recordsOf = (name: Name) =>
    new Map(
      sharedLines<Recorded>('data/nli/predictions', `${MODELS[name].record}.jsonl`).map((each) => [each.uid, each]),
    );
  return {
    firstRound: sharedLines<Anli>('data/nli', 'anli-r1.dev.jsonl'),
    secondRound: sharedLines<Anli>('data/nli', 'anli-r2.dev.jsonl'),
    records: { bert: recordsOf('bert'), roberta: recordsOf('roberta'), large: recordsOf('large') },
  };
}

/**
 * Data of the same structure, for machines without the real data. The first round fools only
 * `bert`; on the second round the models differ.
 */
function inventedData(): Data {
  const round = (prefix: string, count: number): Anli[] =>
    Array.from({ length: count }, (_, place) => ({
      uid: `${prefix}-${place}`,
      context: `Passage ${place} of ${prefix} tells of a town by the sea, of its harbour and of ${place + 3} boats.`,
      hypothesis: `In ${prefix} there are ${place + 3} boats in the harbour of the town.`,
      label: LABELS[place % 3]!,
      model_label: LABELS[(place + 1) % 3]!,
      explanation: 'The number of boats is named.',
      tags: [place % 2 === 0 ? 'numbers' : 'places'],
    }));
  const [firstRound, secondRound] = [round('first', 300), round('second', 120)];
  const recorded = (isRightAt: (place: number, prefix: 'first' | 'second') => boolean) =>
    new Map(
      [...firstRound, ...secondRound].map(({ uid, label, model_label: wrong }, index) => {
        const place = index % firstRound.length;
        const answer = isRightAt(place, index < firstRound.length ? 'first' : 'second') ? label : wrong;
        const prob = Object.fromEntries(LABELS.map((each) => [each, each === answer ? 0.8 : 0.1]));
        return [uid, { uid, label: answer, prob }];
      }),
    );
  return {
    firstRound,
    secondRound,
    records: {
      bert: recorded((place, prefix) => prefix === 'second' && place % 3 === 0),
      roberta: recorded((place, prefix) => (prefix === 'first' ? place % 2 === 0 : place % 5 < 3)),
      large: recorded((place, prefix) => (prefix === 'first' ? place % 8 !== 0 : place % 5 > 1)),
    },
  };
}
