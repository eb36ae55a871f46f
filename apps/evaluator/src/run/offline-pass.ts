import { type Answer } from '@assay/contracts';
import { failure, type Failure } from '@assay/contracts/models';
import { count } from '@assay/contracts/text';
import type { Rng } from '@assay/kernel';
import type { InputRow } from '../gateway/leased-run.js';
import { evaluationTimeout, failureWithin, isFatal } from './failure-sentence.js';
import { isBad, type BadAnswer, type ModelSession } from './session/model-session.js';
import { shuffled, type RowWindow } from './data/row-windows.js';
import { agree } from './repeat/same-answer.js';
import type { EarlierAnswers } from './latency/latency-pass.js';
import type { TimeBudget } from './session/time-budget.js';
import type { TimeProjection } from './session/time-projection.js';

const BATCH_ROWS = 64;
/** Maximum size of the instances in a batch, in UTF-16 units. */
const BATCH_TEXT = 8_000_000;
const IN_FLIGHT = 2;
/**
 * Share of labels that may change between equally probable ones, because sums of floats depend on
 * the batch. A model that considers all labels equally probable must still be consistent.
 */
const FLIPS = 0.01;
/** Maximum number of windows that wait for their last answer or for being stored. */
const OPEN_WINDOWS = 3;

export interface OfflinePass {
  readonly session: ModelSession;
  readonly windows: AsyncIterable<RowWindow>;
  /** The number of examples in the dataset. */
  readonly total: number;
  readonly rng: Rng;
  readonly budget: TimeBudget;
  /** Absent for a pass that has no end to project. */
  readonly projection?: TimeProjection;
  readonly signal: AbortSignal;
  /** Share of bad answers that the task tolerates. */
  readonly tolerance: number;
  /** Answers to single requests. The answers in batches must be the same. */
  readonly earlier: EarlierAnswers;
  /** Receives the answers in the order of the dataset. Null: a bad answer that the task tolerates. */
  readonly store: (answers: readonly (Answer | null)[]) => Promise<void>;
  /**
   * Called for every answer, in the order of arrival. Null: a bad answer that the task tolerates.
   */
  readonly onAnswer: (row: InputRow, answer: Answer | null) => void;
  readonly onProgress: (done: number) => void;
}

export type OfflineOutcome =
  | { readonly kind: 'done'; readonly examples: number; readonly seconds: number }
  /** `fatal`: the model cannot be asked for another dataset. */
  | { readonly kind: 'failed'; readonly failure: Failure; readonly fatal: boolean };

interface OpenWindow extends RowWindow {
  readonly answers: (Answer | null)[];
  waiting: number;
}

interface PlaceInBatch {
  readonly position: number;
  readonly of: number;
}

interface Batch {
  readonly window: OpenWindow;
  /** Positions in the window. */
  readonly places: readonly number[];
}

/**
 * Requests predictions for a whole dataset in batches of 64, two in flight, so that the model is
 * never idle, and stores the answers in the order of the dataset. The requests are shuffled within
 * windows of the dataset, which bounds the memory for any dataset size.
 */
export function offlinePass(pass: OfflinePass): Promise<OfflineOutcome> {
  return new RunningPass(pass).run();
}

class RunningPass {
  private readonly open: OpenWindow[] = [];
  private readonly batches: AsyncGenerator<Batch>;
  private storing: Promise<void> = Promise.resolve();
  /** The number of windows that were opened and are not stored yet. */
  private unstored = 0;
  private wake: (() => void) | null = null;
  private failed: Extract<OfflineOutcome, { kind: 'failed' }> | null = null;
  /** An error of the platform. */
  private error: Error | null = null;
  private done = 0;
  private bad = 0;
  /** The number of single requests without a valid answer whose example was answered in a batch. */
  private unanswered = 0;
  /** The number of labels that changed between equally probable ones. */
  private flips = 0;

  constructor(private readonly pass: OfflinePass) {
    this.batches = this.cut();
  }

  async run(): Promise<OfflineOutcome> {
    const started = performance.now();
    await Promise.all(Array.from({ length: IN_FLIGHT }, () => this.work()));
    const seconds = (performance.now() - started) / 1000;
    await this.batches.return(undefined);
    await this.storing;
    if (this.error) throw this.error;
    return this.failed ?? { kind: 'done', examples: this.done, seconds };
  }

  private get isOver(): boolean {
    return this.failed !== null || this.error !== null;
  }

  private async work(): Promise<void> {
    try {
      for (;;) {
        const next = await this.batches.next();
        if (next.done === true || this.isOver) return;
        await this.ask(next.value);
      }
    } catch (error) {
      this.stop(error as Error);
    }
  }

  private async *cut(): AsyncGenerator<Batch> {
    for await (const { rows } of this.pass.windows) {
      await this.room();
      const answers = new Array<Answer | null>(rows.length).fill(null);
      const window: OpenWindow = { rows, answers, waiting: rows.length };
      this.open.push(window);
      this.unstored++;
      let places: number[] = [];
      let text = 0;
      for (const place of shuffled(rows.length, this.pass.rng)) {
        places.push(place);
        text += rows[place]!.instance.length;
        if (places.length < BATCH_ROWS && text < BATCH_TEXT) continue;
        yield { window, places };
        places = [];
        text = 0;
      }
      if (places.length > 0) yield { window, places };
    }
  }

  /** Waits until another window may be opened. */
  private async room(): Promise<void> {
    while (this.unstored >= OPEN_WINDOWS && !this.isOver) {
      await new Promise<void>((resolve) => {
        this.wake = resolve;
      });
    }
  }

  private async ask({ window, places }: Batch): Promise<void> {
    const { session, budget, signal, total } = this.pass;
    if (budget.isOver) {
      this.fail(evaluationTimeout({ phase: 'dataset', done: this.done, total }, budget.seconds), true);
      return;
    }
    const instances = places.map((index) => window.rows[index]!.instance);
    const outcome = await session.ask(instances, budget.requestDeadline);
    // a sandbox that was stopped because of the signal did not fail by itself
    signal.throwIfAborted();
    switch (outcome.kind) {
      case 'answers':
        this.take(window, places, outcome.answers);
        await this.project(places.length, outcome.milliseconds);
        break;
      case 'refused':
        this.fail(outcome.failure, false);
        break;
      case 'fault':
        this.fail(
          failureWithin(budget, outcome.fault, { phase: 'dataset', done: this.done, total }),
          isFatal(outcome.fault),
        );
    }
  }

  private async project(rows: number, milliseconds: number): Promise<void> {
    const late = await this.pass.projection?.add(rows, milliseconds, IN_FLIGHT);
    if (late) this.fail(late, true);
  }

  private take(window: OpenWindow, places: readonly number[], answers: readonly (Answer | BadAnswer)[]): void {
    for (const [position, place] of places.entries()) {
      const row = window.rows[place]!;
      const answer = answers[position]!;
      const wrong = isBad(answer)
        ? this.intolerable(answer, row, { position, of: places.length })
        : this.contradiction(answer, row);
      if (wrong) {
        this.fail(wrong, false);
        return;
      }
      if (!isBad(answer)) window.answers[place] = answer;
      this.pass.onAnswer(row, window.answers[place] ?? null);
    }
    window.waiting -= places.length;
    this.done += places.length;
    this.pass.onProgress(this.done);
    this.storeWhatIsComplete();
  }

  private intolerable(bad: BadAnswer, row: InputRow, place: PlaceInBatch): Failure | null {
    this.bad++;
    return this.bad > this.pass.tolerance * this.pass.total ? badAnswer(bad, row, place, this.pass) : null;
  }

  private contradiction(answer: Answer, row: InputRow): Failure | null {
    const { earlier, tolerance, total } = this.pass;
    const before = earlier.get(row.index);
    if (before === undefined) return null;
    if (before === null) {
      // the task's tolerance for bad answers applies to single requests as well as to batches
      this.unanswered++;
      return this.unanswered > tolerance * earlier.size ? inconsistent(row, total, UNANSWERED) : null;
    }
    if (!agree(before, answer)) return inconsistent(row, total, CHANGED);
    if (before.text !== answer.text) this.flips++;
    return this.flips > Math.max(1, FLIPS * earlier.size) ? inconsistent(row, total, CHANGED) : null;
  }

  /**
   * Stores complete windows in the order of the dataset, after those that are being stored. The
   * next requests do not wait for it.
   */
  private storeWhatIsComplete(): void {
    while (this.open[0]?.waiting === 0) {
      const { answers } = this.open.shift()!;
      this.storing = this.storing.then(() => this.store(answers));
    }
  }

  private async store(answers: readonly (Answer | null)[]): Promise<void> {
    if (this.isOver) return;
    try {
      await this.pass.store(answers);
      this.unstored--;
      this.wake?.();
    } catch (error) {
      this.stop(error as Error);
    }
  }

  private fail(why: Failure, fatal: boolean): void {
    this.failed ??= { kind: 'failed', failure: why, fatal };
    this.wake?.();
  }

  private stop(error: Error): void {
    this.error ??= error;
    this.wake?.();
  }
}

function badAnswer(bad: BadAnswer, row: InputRow, batch: PlaceInBatch, { total, tolerance }: OfflinePass): Failure {
  const where = `predictions[${batch.position}] of a batch of ${batch.of} (index ${count(row.index)} of ${count(total)} examples)`;
  const allowed = tolerance > 0 ? ` More than ${tolerance * 100}% of the answers are invalid.` : '';
  return failure(bad.code, `${where} ${bad.why}.${allowed}`);
}

const CHANGED = 'got one answer in a single request and another in a batch';
const UNANSWERED = 'got no valid answer in a single request, but one in a batch';

const inconsistent = (row: InputRow, total: number, how: string): Failure =>
  failure('inconsistent', `The example at index ${count(row.index)} of ${count(total)} ${how}.`);
