import { Annotation } from '@assay/collection/annotating';
import { RoundModel } from '@assay/collection/rounds';
import type { AnnotationOutcome } from '@assay/contracts/collection';
import type { Measures } from '@assay/contracts/metrics';
import { failure } from '@assay/contracts/models';
import type { TaskDefinitionInput } from '@assay/contracts/tasks';
import { WorkerPresenceRepository } from '@assay/evaluation';
import { Evaluation } from '@assay/evaluation/evaluations';
import { Run } from '@assay/evaluation/runs';
import { Model } from '@assay/submissions';
import { Round, Task } from '@assay/tasks';
import { Dataset, DatasetVersion } from '@assay/tasks/datasets';
import { type DatasetRow } from '@assay/tasks/examples';
import pLimit from 'p-limit';
import { annotatingRound } from '../worlds/annotating-world.js';
import type { ApiWorld } from '../worlds/api-world.js';
import { type Plant, plantAnnotations } from '../collection/planted-annotations.js';
import { type PlantedTask, plantedTask } from '../models/planted-task.js';
import { publishBoard } from '../models/published-board.js';
import { scoredModel } from '../models/scored-models.js';
import { endRuns, markScored, measure, scoreDirectly, submitted } from './scored-directly.js';
import * as tasks from './seeded-tasks.js';

/**
 * The settings of a service to be seeded. They lift the rate limits: many pages send requests from
 * one address.
 */
export const SEEDED_ENVIRONMENT = {
  ASSAY_SIGN_INS_PER_MINUTE: '100000',
  ASSAY_REQUESTS_PER_MINUTE: '100000',
  ASSAY_CHANGES_PER_MINUTE: '100000',
  ASSAY_COSTLY_REQUESTS_PER_MINUTE: '100000',
  ASSAY_ADDRESS_REQUESTS_PER_MINUTE: '100000',
} as const;

export interface SeededService {
  /** Tokens by username. */
  readonly tokens: Readonly<Record<string, string>>;
  readonly tone: PlantedTask;
  /** The ids of the models of `INFERENCE`, the best first. */
  readonly inference: readonly string[];
  /** The ids of the failed models of `TOXICITY`, by failure code. */
  readonly failed: Readonly<Record<string, string>>;
}

const OWNERS = ['mira', 'noor', 'Anneliese-Katharina_von-Hohenstein_1987', 'x1', 'tomas', 'yuki'] as const;
const ANNOTATORS = ['ada', 'ben', 'chidi', 'dora', 'emil'] as const;
const DAY = 86_400_000;
/** The time at which the first model of a seeded task was submitted. */
const START = Date.parse('2026-03-02T10:00:00Z');
const day = (count: number): Date => new Date(START + count * DAY);
const HUMAN = { n: 60, value: 0.92, low: 0.86, high: 0.96 };

const costs = (step: number): Measures => ({
  cpu_time: 0.02 / (step + 1),
  ...{ throughput: 40 + 35 * step, latency_p50: 90 / (step + 1), latency_p90: 110 / (step + 1) },
  ...{ latency_p95: 130 / (step + 1), latency_p99: 180 / (step + 1), latency_count: 700 },
  ...{ memory: 4 / (step + 1), memory_cgroup: 4.4 / (step + 1), cold_start: 2_000, contended: false },
  hardware: 'AMD EPYC 7713, 4 CPUs, runc',
});

/**
 * Seeds a service with fifteen tasks: empty ones, boards of predictions, eleven models on three
 * rounds, failed and incomplete models, open and closed rounds, a long queue, each type of output,
 * and names that are hard to display. Everything that the API validates goes through the API. The
 * rest is written to the database as an evaluator would have left it.
 */
export async function seedService(world: ApiWorld): Promise<SeededService> {
  const names = [...OWNERS, ...ANNOTATORS];
  const made = await Promise.all(names.map((name) => world.user(name)));
  const tokens = Object.fromEntries(names.map((name, place) => [name, made[place]!]));
  const seed = new Seed(world, tokens);
  const tone = await plantedTask(world);
  const inference = await seed.inference();
  await seed.sarcasm();
  const failed = await seed.toxicity();
  await seed.reading();
  await seed.otherOutputs();
  await seed.queue();
  await seed.withoutModels();
  await seed.oddNames();
  await new WorkerPresenceRepository(world.orm.em.fork()).recordStart('worker');
  await seed.evaluators();
  return { tokens, tone, inference, failed };
}

class Seed {
  constructor(
    private readonly world: ApiWorld,
    private readonly tokens: Readonly<Record<string, string>>,
  ) {}

  /**
   * Registers evaluators that have reported, one of which cannot run models, one that has not reported,
   * and one with an unsupported protocol.
   */
  async evaluators(): Promise<void> {
    const host = { architecture: 'amd64', cpus: 16, memoryBytes: 64 * 2 ** 30, runtimes: ['runc', 'runsc'] };
    const report = { protocol: 2, version: '0.1.0', host, slots: 14 };
    for (const [name, protocol, problem] of [
      ['east', 2, null],
      ['west', 2, 'The container engine does not answer within 10 s.'],
      ['gpu-1', 2, null],
      ['from-next-year', 99, null],
      ['spare', null, null],
    ] as const) {
      const { body } = await this.world.call('POST', '/evaluators', { token: this.world.admin, body: { name } });
      if (protocol === null) continue;
      const sent = { token: body.token as string, body: { ...report, protocol, problem } };
      await this.world.call('PUT', '/evaluator/presence', sent);
    }
  }

  async inference(): Promise<readonly string[]> {
    const { slug, output } = tasks.INFERENCE;
    const labels = 'labels' in output ? output.labels : [];
    await this.task(tasks.INFERENCE, 'mira');
    const line = (name: string) => (n: number) => ({
      ...{
        id: `${name}-${n}`,
        premise: `Premise ${n} of ${name}: the harbour was full.`,
        hypothesis: `Nobody sails ${n}.`,
      },
      ...{
        label: labels[(n * 7) % 3],
        genre: ['fiction', 'telephone', 'government'][n % 3],
        length: n % 2 ? 'long' : 'short',
      },
    });
    await this.dataset(slug, 'static', 'role=static&visibility=public', 120, line('static'));
    for (const round of [1, 2, 3]) {
      const visibility = round === 3 ? 'hidden' : 'public';
      const query = `role=round&round=${round}&visibility=${visibility}`;
      await this.dataset(slug, `r${round}`, query, 120, line(`r${round}`));
    }
    const order = { static: 0, r1: 1, r2: 2, r3: 3 } as const;
    const models = [
      ...[
        'deberta-v3-large-mnli',
        'roberta-large-nli',
        'albert-xxlarge',
        'xlnet-large',
        'bart-large-mnli',
        'electra-large',
      ],
      ...['bert-large-uncased', 'distilroberta', 'minilm-l6', 'bag-of-words', 'word overlap'],
    ];
    const ids: string[] = [];
    for (const [place, name] of models.entries()) {
      const token = this.tokens[OWNERS[place % OWNERS.length]!]!;
      // the share of correct answers falls with the round and with the position of the model; the last is below the
      // baseline on the hidden round
      const answer = (dataset: string, { index, gold }: DatasetRow) => {
        const share = 0.86 - 0.025 * place - 0.07 * order[dataset as keyof typeof order];
        const isRight = (((index * 31 + place * 3) % 101) + 0.5) / 101 < share;
        const text = isRight ? gold[0]! : labels[(labels.indexOf(gold[0]!) + 1 + (index % 2)) % 3]!;
        const sure = isRight ? 0.9 - 0.02 * place : 0.6;
        return { text, probabilities: labels.map((label) => (label === text ? sure : (1 - sure) / 2)) };
      };
      const id = await scoredModel(this.world, { slug, name, token, answer });
      await measure(this.world, id, costs(place));
      await markScored(this.world, id, day(4 * ((place * 5) % 11)));
      ids.push(id);
    }
    await this.human(slug, ['r1', 'r2']);
    const em = this.world.orm.em.fork();
    (await em.findOneOrFail(Dataset, { task: { slug }, name: 'r3' })).against = [ids[1]!];
    await em.flush();
    await publishBoard(this.world, slug);
    await this.rounds(slug, ids[0]!, { open: 4, opened: day(60) });
    return ids;
  }

  /** Five prediction-only models. The board weighs costs, so it ranks none of them. */
  async sarcasm(): Promise<void> {
    const { slug } = tasks.SARCASM;
    await this.task(tasks.SARCASM, 'noor');
    const line = (n: number) => ({ id: n, text: `Oh, great idea ${n}.`, label: n % 2 ? 'sincere' : 'sarcastic' });
    for (const round of [1, 2, 3])
      await this.dataset(slug, `round-${round}`, `role=round&round=${round}&visibility=hidden`, 40, line);
    for (const [place, name] of ['Majority of five', 'gpt answers', 'Logistic', 'Emoji rules', 'Coin'].entries()) {
      const id = await this.submit(slug, name, place, 'predictions');
      const metrics = { accuracy: 0.86 - 0.07 * place };
      await scoreDirectly(this.world, id, { metrics, shift: { 'round-3': -0.1 }, acceptedAt: day(3 * place) });
    }
    await publishBoard(this.world, slug);
  }

  async toxicity(): Promise<Readonly<Record<string, string>>> {
    const { slug } = tasks.TOXICITY;
    await this.task(tasks.TOXICITY, 'tomas');
    const line = (n: number) => ({ id: n, text: `You are ${n}.`, label: n % 3 ? 'harmless' : 'toxic' });
    await this.dataset(slug, 'comments', 'role=static&visibility=public', 60, line);
    await this.dataset(slug, 'forum', 'role=static&visibility=hidden', 60, line);
    for (const [place, name] of ['Keyword list', 'toxic-bert'].entries()) {
      const id = await this.submit(slug, name, place);
      const metrics = { macro_f1: 0.6 + 0.2 * place, accuracy: 0.7 + 0.15 * place };
      await scoreDirectly(this.world, id, { metrics, measures: costs(1 - place), acceptedAt: day(place) });
    }
    const partial = await this.submit(slug, 'Half scored', 2);
    await scoreDirectly(this.world, partial, { metrics: { macro_f1: 0.7, accuracy: 0.8 }, datasets: ['comments'] });
    await this.submit(slug, 'Still queued', 3);
    const cancelled = await this.submit(slug, 'Cancelled', 4);
    await this.world.orm.em.fork().nativeUpdate(Model, cancelled, { state: 'cancelled' });
    const failed: Record<string, string> = {};
    for (const [place, [code, message]] of FAILURES.entries()) {
      const id = await this.submit(slug, `Fails with ${code.replaceAll('_', ' ')}`, place);
      await this.fail(id, code, message);
      failed[code] = id;
    }
    await publishBoard(this.world, slug);
    const target = await this.world.orm.em.fork().findOneOrFail(Model, { task: { slug }, name: 'toxic-bert' });
    await this.rounds(slug, target.id, { closed: 1, open: 2, opened: day(20) });
    return failed;
  }

  /** A span task with an open round whose contexts are still unused. */
  async reading(): Promise<void> {
    const { slug } = tasks.READING;
    const passages = ['The ship left Lisbon in 1912, and came back in 1914.', 'Ada wrote the first program in 1843.'];
    const { owner } = await annotatingRound(this.world, {
      definition: tasks.READING,
      contexts: passages.map((passage) => ({ content: { passage } })),
    });
    const line = (n: number) => ({
      id: n,
      passage: passages[n % 2],
      question: `When, number ${n}?`,
      answer: ['1912', '1843'][n % 2],
    });
    await this.dataset(slug, 'dev', 'role=static&visibility=public', 30, line, owner);
    for (const [place, name] of ['Longest span', 'roberta-squad'].entries()) {
      const id = await this.submit(slug, name, place);
      const metrics = { squad_f1: 0.4 + 0.35 * place, exact_match: 0.3 + 0.3 * place };
      await scoreDirectly(this.world, id, { metrics, measures: costs(place), acceptedAt: day(place) });
    }
    await publishBoard(this.world, slug);
  }

  async otherOutputs(): Promise<void> {
    const { TRANSLATION, GRADES, TOPICS } = tasks;
    await this.scored(
      TRANSLATION,
      'yuki',
      (n) => ({ id: n, text: `Good morning ${n}`, translation: [`Guten Morgen ${n}`] }),
      {
        'opus-mt-en-de': { chrf: 0.61, bleu: 0.34 },
        'word by word': { chrf: 0.38, bleu: 0.09 },
        copy: { chrf: 0.2, bleu: 0.01 },
      },
    );
    await this.scored(GRADES, 'x1', (n) => ({ id: n, essay: `Essay ${n}`, grade: (n * 13) % 100 }), {
      'Length regression': { mae: 14.2, pearson: 0.31 },
      'longformer-grades': { mae: 6.8, pearson: 0.78 },
    });
    await this.scored(
      TOPICS,
      'mira',
      (n) => ({ id: n, text: `News ${n}`, topics: n % 2 ? ['sport'] : ['politics', 'economy'] }),
      {
        'tf-idf one-vs-rest': { micro_f1: 0.66, jaccard: 0.55 },
        'xlm-roberta topics': { micro_f1: 0.79, jaccard: 0.7 },
        Keywords: { micro_f1: 0.41, jaccard: 0.3 },
      },
    );
    await this.scored(tasks.ONE_MODEL, 'noor', (n) => ({ id: n, text: `Win ${n}`, label: n % 2 ? 'ham' : 'spam' }), {
      'The only one': { accuracy: 0.9 },
    });
  }

  /** 40 submissions by several users; one of them runs. */
  async queue(): Promise<void> {
    const { slug } = tasks.REVIEWS;
    await this.task(tasks.REVIEWS, 'x1');
    const line = (n: number) => ({ id: n, text: `Review ${n}`, stars: String((n % 5) + 1) });
    await this.dataset(slug, 'shop', 'role=static&visibility=public', 50, line);
    for (const [place, name] of ['star-bert', 'Length'].entries()) {
      const id = await this.submit(slug, name, place);
      const scores = { metrics: { accuracy: 0.64 - 0.2 * place }, measures: costs(place), acceptedAt: day(place) };
      await scoreDirectly(this.world, id, scores);
    }
    await publishBoard(this.world, slug);
    // all at once would wait for each other and for a connection longer than a busy service allows
    const limit = pLimit(4);
    const waiting = await Promise.all(
      Array.from({ length: 40 }, (_, place) => limit(() => this.submit(slug, `Variant ${place + 1}`, place))),
    );
    const em = this.world.orm.em.fork();
    const { specification } = await em.findOneOrFail(Model, waiting[0]!);
    const leased = {
      state: 'leased',
      leaseOwner: 'remote/east',
      startedAt: new Date(),
      leaseUntil: new Date(Date.now() + DAY),
    } as const;
    await em.nativeUpdate(Run, { specification: specification!.id }, { ...leased, stage: 'evaluation' });
    await em.nativeUpdate(Model, waiting[0]!, { state: 'running' });
  }

  async withoutModels(): Promise<void> {
    await this.task(tasks.EMPTY, 'yuki');
    await this.task(tasks.EMPTY_ROUND, 'tomas');
    const em = this.world.orm.em.fork();
    const task = await em.findOneOrFail(Task, { slug: tasks.EMPTY_ROUND.slug });
    const settings = { turn: { examples: 100 }, conditions: [], shares: { train: 0.8, dev: 0.1, test: 0.1 } };
    em.create(Round, { task, number: 1, state: 'open', imported: false, openedAt: day(50), settings });
    await em.flush();
    await this.task(tasks.HEADLINES, 'mira');
    const line = (n: number) => ({ id: n, text: `You will not believe ${n}`, label: n % 2 ? 'fair' : 'clickbait' });
    await this.dataset(tasks.HEADLINES.slug, 'portals', 'role=static&visibility=public', 40, line);
  }

  async oddNames(): Promise<void> {
    const { output } = tasks.ODD;
    const labels = 'labels' in output ? output.labels : [];
    const [field] = tasks.ODD.inputs;
    const line = (n: number) => ({
      id: n,
      [field!.name]: `${n}: ${tasks.ODD_NAMES.rightToLeft}`,
      label: labels[n % 3],
      source: 'web',
    });
    await this.scored(tasks.ODD, 'Anneliese-Katharina_von-Hohenstein_1987', line, {
      [tasks.ODD_NAMES.unbroken]: { accuracy: 0.7 },
      [tasks.ODD_NAMES.rightToLeft]: { accuracy: 0.6 },
      [tasks.ODD_NAMES.nonLatin]: { accuracy: 0.5 },
      '=1+1': { accuracy: 0.4 },
    });
    await this.scored(tasks.HEBREW, 'yuki', (n) => ({ id: n, text: `משפט ${n}`, label: n % 2 ? 'שמח' : 'עצוב' }), {
      'מודל ראשון': { accuracy: 0.8 },
      נموذج: { accuracy: 0.75 },
    });
  }

  /** Creates a task with one dataset, and models with the given metrics. */
  private async scored(
    definition: TaskDefinitionInput,
    owner: string,
    line: (n: number) => object,
    models: Readonly<Record<string, Readonly<Record<string, number>>>>,
  ): Promise<void> {
    const { slug } = definition;
    await this.task(definition, owner);
    await this.dataset(slug, 'test', 'role=static&visibility=public', 50, line);
    for (const [place, [name, metrics]] of Object.entries(models).entries()) {
      const id = await this.submit(slug, name, place);
      await scoreDirectly(this.world, id, { metrics, measures: costs(place), acceptedAt: day(2 * place) });
    }
    await publishBoard(this.world, slug);
  }

  private async task(definition: TaskDefinitionInput, owner: string): Promise<void> {
    await expected(this.world.call('POST', '/tasks', { token: this.tokens[owner]!, body: definition }));
  }

  /** @param token The token of the task's owner. Default: the administrator's. */
  private async dataset(
    slug: string,
    name: string,
    query: string,
    examples: number,
    line: (n: number) => object,
    token = this.world.admin,
  ): Promise<void> {
    const body = Array.from({ length: examples }, (_, n) => JSON.stringify(line(n))).join('\n');
    const put = { token, type: 'application/x-ndjson', body };
    await expected(this.world.call('PUT', `/tasks/${slug}/datasets/${name}?${query}`, put));
  }

  private submit(
    slug: string,
    name: string,
    place: number,
    kind: 'container' | 'predictions' = 'container',
  ): Promise<string> {
    return submitted(this.world, { slug, name, kind, token: this.tokens[OWNERS[place % OWNERS.length]!]! });
  }

  private async fail(id: string, code: Parameters<typeof failure>[0], message: string): Promise<void> {
    const em = this.world.orm.em.fork();
    const reason = failure(code, message);
    const { specification } = await em.findOneOrFail(Model, id);
    await em.nativeUpdate(Model, id, { state: 'failed', failure: reason });
    await em.nativeUpdate(Evaluation, { specification: specification!.id }, { state: 'failed', failure: reason });
    await endRuns(this.world, specification!.id, { state: 'failed', failure: reason, log: LOG });
  }

  private async human(slug: string, names: readonly string[]): Promise<void> {
    const em = this.world.orm.em.fork();
    const versions = await em.find(DatasetVersion, { dataset: { task: { slug }, name: { $in: [...names] } } });
    for (const version of versions) version.human = { accuracy: HUMAN };
    await em.flush();
  }

  /**
   * Creates rounds of collection with annotations by all annotators: an open one, and a closed one
   * if `closed` is given.
   */
  private async rounds(
    slug: string,
    target: string,
    { closed, open, opened }: { readonly closed?: number; readonly open: number; readonly opened: Date },
  ): Promise<void> {
    const plant = (place: number, round: number, outcome: AnnotationOutcome): Plant => ({
      ...{ round, by: ANNOTATORS[place % ANNOTATORS.length]!, target, tags: [`topic ${place % 4}`], condition: null },
      ...{
        day: new Date(opened.getTime() + (place % 9) * DAY).toISOString().slice(0, 10),
        fooled: place % 3 === 0,
        outcome,
      },
      ...{ seconds: 30 + place, editDistance: null, isExplained: place % 4 === 0 },
      ...{ isRetracted: false, isCheck: false, isAttested: false },
    });
    const outcomes: readonly AnnotationOutcome[] = ['validated', 'validated', 'validated', 'rejected', 'pending'];
    const of = (round: number, count: number) =>
      Array.from({ length: count }, (_, place) => plant(place, round, outcomes[place % outcomes.length]!));
    await plantAnnotations(this.world, slug, [...(closed === undefined ? [] : of(closed, 50)), ...of(open, 35)]);
    const em = this.world.orm.em.fork();
    const task = await em.findOneOrFail(Task, { slug });
    await em.nativeUpdate(Annotation, { round: { task: task.id } }, { answeredAt: opened });
    const settings = { turn: { examples: 200 }, conditions: [], shares: { train: 0.8, dev: 0.1, test: 0.1 } };
    for (const round of await em.find(Round, { task, imported: false })) {
      const isOpen = round.number === open;
      Object.assign(round, { description: 'Write about **everyday life**.', openedAt: opened, settings });
      if (!isOpen)
        Object.assign(round, {
          closedAt: new Date(opened.getTime() + 14 * DAY),
          closedBy: 'count reached: 50 examples',
        });
      em.create(RoundModel, { round, model: target, reason: 'policy', since: opened });
    }
    await em.flush();
  }
}

const LOG = [
  ...Array.from({ length: 40 }, (_, line) => `INFO loading shard ${line + 1} of 40`),
  'Traceback (most recent call last):',
  '  File "/app/serve.py", line 41, in <module>',
  "RuntimeError: CUDA is not available, and the model was moved to 'cuda:0'",
].join('\n');

const FAILURES = [
  ['out_of_memory', 'The container was killed after 1,204 of 3,198 examples: it reached the limit of 4.0 GiB.'],
  ['model_exited', 'After 271 of 3,198 examples, it exited with code 1.'],
  ['never_ready', 'It did not answer GET /ping with 200 within 300 s.'],
  ['unknown_label', 'Prediction 17 is "LABEL_2". The labels of the task are "harmless" and "toxic".'],
  ['not_an_image', 'The file is not a tar: it has 40 bytes.'],
  ['invalid_response', `The answer is ${'very '.repeat(60)}long and not JSON.`],
] as const;

async function expected(answer: ReturnType<ApiWorld['call']>): Promise<void> {
  const { status, body } = await answer;
  if (status >= 300) throw new Error(JSON.stringify(body));
}
