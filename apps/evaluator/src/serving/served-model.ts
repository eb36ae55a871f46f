import { failure, type Failure, type FailureCode } from '@assay/contracts/models';
import { Explanation, MOST_WEIGHTS, type DeploymentReply } from '@assay/contracts/serving';
import { type TaskOutput } from '@assay/contracts/tasks';
import type { ModelFault, Sandbox } from '@assay/sandbox';
import { faultFailure } from '../run/failure-sentence.js';
import { DEEPEST, LARGE, parseSmall } from '../run/session/json-body.js';
import { ModelSession } from '../run/session/model-session.js';
import { warmUpRequests } from '../run/session/warm-up.js';

export interface ServedModelParts {
  readonly sandbox: Sandbox;
  readonly output: TaskOutput;
  /** Seconds for a complete response. */
  readonly requestSeconds: number;
  /** Limit of the median response time for one instance, in seconds. */
  readonly slowSeconds: number;
}

/** The number of answers in the median. */
const SAMPLES = 9;
/** The number of consecutive timeouts after which the model is too slow. */
const MOST_TIMEOUTS = 2;
/** Upper limit for each of the first answers. Nothing is timed on the host meanwhile. */
const WARM_UP_MILLISECONDS = 120_000;
/**
 * Upper limit for a response that is parsed on the main thread without delaying others: ten times
 * the explanation of a long text.
 */
const EXPLANATION_BYTES = LARGE;
/** The maximum number of fields in an explanation; a task has fewer. */
const MOST_FIELDS = 100;
/** Statuses of a server that does not know the path, or does not support the method for it. */
const UNKNOWN_ADDRESS: ReadonlySet<number> = new Set([400, 404, 405, 501]);

/** A running target model that answers individual requests from people. */
export class ServedModel {
  private readonly session: ModelSession;
  private readonly slow = Promise.withResolvers<Failure>();
  private readonly milliseconds: number[] = [];
  private timeouts = 0;
  private askedAt = performance.now();
  private explains = true;

  constructor(private readonly parts: ServedModelParts) {
    this.session = new ModelSession(parts.sandbox, parts.output);
  }

  /** Seconds since the last request. */
  get idleSeconds(): number {
    return (performance.now() - this.askedAt) / 1000;
  }

  /** Resolves once the model is known to be too slow for people to wait for. */
  whenTooSlow(): Promise<Failure> {
    return this.slow.promise;
  }

  /**
   * Sends the first requests, because many models load lazily, so that people do not wait for it.
   * The answers are ignored.
   * @param instances each as JSON
   * @returns the failure if the model ended; null if it is alive
   * @throws SandboxUnavailable
   */
  async warmUp(instances: readonly string[]): Promise<Failure | null> {
    const { first, batches } = warmUpRequests(instances);
    const deadline = Math.min(this.deadline, WARM_UP_MILLISECONDS);
    for (const requests of [[first], batches]) {
      const outcomes = await Promise.all(requests.map((some) => this.session.ask(some, deadline)));
      for (const outcome of outcomes)
        if (outcome.kind === 'fault' && isEnd(outcome.fault)) return liveFailure(outcome.fault);
    }
    return null;
  }

  /**
   * Returns the model's predictions.
   *
   * @param instances each as JSON
   * @throws SandboxUnavailable
   */
  async predict(instances: readonly string[]): Promise<DeploymentReply> {
    this.askedAt = performance.now();
    const outcome = await this.session.ask(instances, this.deadline);
    switch (outcome.kind) {
      case 'answers': {
        this.note(outcome.milliseconds, instances.length);
        const answers = outcome.answers.map((answer) =>
          'code' in answer
            ? { code: answer.code, why: answer.why }
            : { text: answer.text, ...(answer.probabilities && { probabilities: [...answer.probabilities] }) },
        );
        return { kind: 'answers', answers, milliseconds: outcome.milliseconds };
      }
      case 'refused':
        return { kind: 'failed', failure: outcome.failure };
      case 'fault':
        this.noteFault(outcome.fault);
        return { kind: 'failed', failure: liveFailure(outcome.fault) };
    }
  }

  /**
   * Returns the result of the model's own `/explain` endpoint, if it has one.
   *
   * @throws SandboxUnavailable
   */
  async explain(instances: readonly string[]): Promise<DeploymentReply> {
    this.askedAt = performance.now();
    if (!this.explains) return { kind: 'unexplained' };
    const outcome = await this.parts.sandbox.invoke(Buffer.from(`{"instances":[${instances.join(',')}]}`), {
      deadline: this.deadline,
      responseBytes: EXPLANATION_BYTES,
      path: '/explain',
    });
    if (outcome.kind === 'status' && UNKNOWN_ADDRESS.has(outcome.status)) {
      this.explains = false;
      return { kind: 'unexplained' };
    }
    if (outcome.kind !== 'answer') return { kind: 'failed', failure: liveFailure(outcome) };
    const reply = readExplanations(outcome.body, instances.length);
    if (reply.kind === 'unexplained') this.explains = false;
    return reply;
  }

  private get deadline(): number {
    return this.parts.requestSeconds * 1000;
  }

  private note(milliseconds: number, instances: number): void {
    this.timeouts = 0;
    // only single instances count: a batch is not an example that a person waits for
    if (instances !== 1) return;
    this.milliseconds.push(milliseconds);
    if (this.milliseconds.length > SAMPLES) this.milliseconds.shift();
    if (this.milliseconds.length < SAMPLES) return;
    const median = this.milliseconds.toSorted((a, b) => a - b)[SAMPLES >> 1]!;
    if (median <= this.parts.slowSeconds * 1000) return;
    const text = `Half of its last ${SAMPLES} answers took over ${(median / 1000).toFixed(1)} s. The limit for a target model is ${this.parts.slowSeconds} s.`;
    this.slow.resolve(failure('too_slow', text));
  }

  private noteFault(fault: ModelFault): void {
    if (fault.kind !== 'exceeded' || fault.limit !== 'time') return;
    this.timeouts++;
    if (this.timeouts >= MOST_TIMEOUTS) this.slow.resolve(liveFailure(fault));
  }
}

const isEnd = (fault: ModelFault): boolean =>
  fault.kind === 'exited' || (fault.kind === 'exceeded' && fault.limit === 'memory');

/**
 * Returns the failure of a served model without the model's own words, which could repeat what a
 * user has written.
 */
export const liveFailure = (fault: ModelFault): Failure => faultFailure(fault, { phase: 'live' }, 'figures');

function readExplanations(body: Buffer, instances: number): DeploymentReply {
  const parsed = parseSmall(body);
  if (parsed.kind === 'not-json') return refused('invalid_json', 'is not valid JSON');
  if (parsed.kind === 'too-deep') {
    return refused('invalid_response', `is nested too deeply (limit: ${DEEPEST} levels)`);
  }
  if (parsed.kind === 'repeated-key') return refused('invalid_response', 'has an object with a repeated key');
  const { value } = parsed;
  // many servers answer every path with predictions: such a model has no explanations
  if (typeof value !== 'object' || value === null || !('explanations' in value)) return { kind: 'unexplained' };
  const list: readonly unknown[] = Array.isArray(value.explanations) ? value.explanations : [];
  if (list.length === instances && list.every(isExplanation)) return { kind: 'explanations', explanations: [...list] };
  const what = `has no list "explanations" with one entry for each instance. See the container contract`;
  return refused('invalid_response', what);
}

/**
 * Checks field by field and stops at the first invalid one. The schema alone would build a report
 * of all errors.
 */
function isExplanation(value: unknown): value is Explanation {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const fields = Object.entries(value);
  return fields.length <= MOST_FIELDS && fields.every(([field, weights]) => isWeighed(field, weights));
}

const isWeighed = (field: string, weights: unknown): boolean =>
  Array.isArray(weights) && weights.length <= MOST_WEIGHTS && Explanation.safeParse({ [field]: weights }).success;

function refused(code: FailureCode, what: string): DeploymentReply {
  return { kind: 'failed', failure: failure(code, `The answer of /explain ${what}.`) };
}
