import type { Failure } from '@assay/contracts/models';
import { tooSlow } from '../failure-sentence.js';
import type { TimeBudget } from './time-budget.js';

/** The number of batches before the first projection. */
const BATCHES = 20;
/** Factor by which the projected time may exceed the time left. */
const BENEFIT_OF_DOUBT = 2;

/**
 * Projects from the fastest batch so far how long a model needs for the rest of its examples, so
 * that a model that cannot finish in time fails early.
 */
export class TimeProjection {
  private examples = 0;
  private batches = 0;
  /** Examples per second of the fastest batch. */
  private fastest = 0;

  /**
   * @param isContended returns whether something disturbed the timings of the current pass: then
   * nothing is projected
   */
  constructor(
    private readonly budget: Pick<TimeBudget, 'left' | 'seconds'>,
    private readonly isContended: () => Promise<boolean>,
  ) {}

  /**
   * Starts the pass over a dataset.
   * @param examples the number of examples from its first one to the last of the run
   */
  begin(examples: number): void {
    this.examples = examples;
  }

  /** Counts the batches again from 0, because something disturbed those so far. */
  restart(): void {
    this.batches = 0;
  }

  /**
   * Adds an answered batch.
   * @param rows its number of examples
   * @param milliseconds from its request to the end of its answer
   * @param inFlight the number of batches that the model answers at the same time
   * @returns the failure if the rest needs more than twice the time left, even at the best speed so far
   */
  async add(rows: number, milliseconds: number, inFlight: number): Promise<Failure | null> {
    this.examples -= rows;
    this.batches++;
    this.fastest = Math.max(this.fastest, (rows * inFlight) / (milliseconds / 1000));
    if (this.batches < BATCHES) return null;

    const needed = this.examples / this.fastest;
    if (needed <= BENEFIT_OF_DOUBT * this.budget.left || (await this.isContended())) return null;
    return tooSlow(this.fastest, needed, this.budget.seconds);
  }
}
