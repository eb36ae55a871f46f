import { type Answer, parseAnswer } from '@assay/contracts';
import {
  type Assignment,
  ChunkStored,
  DatasetStarted,
  type LeasedRunView,
  QueueView,
  type RunOutcome,
  StoredAnswers,
} from '@assay/contracts/gateway';
import type { Failure, FailureCode } from '@assay/contracts/models';
import { failpoint } from '@assay/observability';
import { type Ceilings, clampLimits } from '@assay/tasks/limits';
import { lineGroups } from '@assay/tasks/examples';
import { z } from 'zod';
import { AnswerChunks } from './answer-chunks.js';
import type { ArtifactCache } from './artifact-cache.js';
import { LeasedArtifact } from './leased-artifact.js';
import type {
  AnswersUpload,
  ImageFacts,
  InputRow,
  LeasedRun,
  Progress,
  RebuiltImage,
  RunLog,
  RunResult,
} from './leased-run.js';
import { printable, reported } from './reported-failure.js';
import { Retries } from './retries.js';
import type { ServiceClient, ServiceRequest } from './service-client.js';

export interface HttpRunParts {
  readonly client: ServiceClient;
  readonly artifacts: ArtifactCache;
  /** The limits of the run are lowered to these; default: the limits that the task sets. */
  readonly ceilings?: Ceilings;
  /** Aborted when the lease is lost or the evaluator leaves. It ends all requests. */
  readonly signal: AbortSignal;
}

/** The run has ended, so that the requests that are left are not needed. */
class RunEnded extends Error {
  constructor() {
    super('The run has ended.');
    this.name = 'RunEnded';
  }
}

/** A run that this evaluator has leased from the service. */
export class HttpRun implements LeasedRun {
  readonly assignment: Assignment;
  readonly seconds: number;
  private readonly leasedAt = performance.now();
  private readonly closed = new AbortController();
  private readonly signal: AbortSignal;
  private readonly uploaded: LeasedArtifact;
  private outcome: RunOutcome['kind'] | null = null;
  private rebuilt: ImageFacts | null = null;

  constructor(
    private readonly parts: HttpRunParts,
    private readonly view: LeasedRunView,
  ) {
    const { assignment, leaseSeconds } = view;
    const { specification } = assignment;
    const limits = parts.ceilings ? clampLimits(specification.limits, parts.ceilings) : specification.limits;
    this.assignment = { ...assignment, specification: { ...specification, limits } };
    this.seconds = leaseSeconds;
    this.signal = AbortSignal.any([parts.signal, this.closed.signal]);
    this.uploaded = new LeasedArtifact({ ...parts, signal: this.signal }, assignment.artifact, this.path('artifact'));
  }

  /** How the run ended; null: it has not ended. */
  get ended(): RunOutcome['kind'] | null {
    return this.outcome;
  }

  /** @throws Error if the bytes do not have the digest of the assignment */
  artifact(): Promise<string> {
    return this.uploaded.file();
  }

  unpackedLimit(): Promise<number> {
    return Promise.resolve(Math.min(this.view.unpackedLimit, this.parts.ceilings?.unpacked ?? Infinity));
  }

  async admit({ port, protocol, unpackedBytes, unreadable, contentDigest }: RebuiltImage): Promise<void> {
    const { run } = this.assignment;
    failpoint('before-admission', run);
    await this.end({ kind: 'admitted', port, protocol, unpackedBytes, unreadable, contentDigest });
    failpoint('after-admission', run);
  }

  noteImage(image: ImageFacts): void {
    this.rebuilt = image;
  }

  refuse(code: FailureCode, message: string): Promise<void> {
    return this.end({ kind: 'refused', code, message: printable(message) });
  }

  async *inputs(dataset: string): AsyncGenerator<readonly InputRow[]> {
    const retries = new Retries(this.signal);
    let next = 0;
    for (;;) {
      try {
        for await (const instances of this.lines(this.ofDataset(dataset, 'inputs', `&from=${next}`))) {
          const first = next;
          next += instances.length;
          retries.reset();
          yield instances.map((instance, place) => ({ index: first + place, instance }));
        }
        return;
      } catch (error) {
        await retries.after(error);
      }
    }
  }

  async *variants(dataset: string, count: number): AsyncGenerator<string> {
    const retries = new Retries(this.signal);
    let seen = 0;
    for (;;) {
      try {
        let place = 0;
        for await (const variants of this.lines(this.ofDataset(dataset, 'variants', `&count=${count}`))) {
          // after an interruption, the same variants come again from the first
          const unseen = variants.slice(Math.max(0, seen - place));
          place += variants.length;
          seen = Math.max(seen, place);
          yield* unseen;
        }
        return;
      } catch (error) {
        await retries.after(error);
      }
    }
  }

  async storedAnswers(dataset: string, places: readonly number[]): Promise<readonly (Answer | null)[] | null> {
    const path = this.ofDataset(dataset, 'stored-answers');
    const { answers } = await this.request({ method: 'POST', path, body: { places } }, StoredAnswers);
    return answers && answers.map((prediction) => (prediction === null ? null : this.answerOf(prediction)));
  }

  async start(dataset: string): Promise<boolean> {
    const request = { method: 'POST', path: this.ofDataset(dataset, 'start') } as const;
    return (await this.request(request, DatasetStarted)).isAsked;
  }

  progress(dataset: string, { done, examplesPerSecond }: Progress): void {
    const request = {
      method: 'POST',
      path: this.ofDataset(dataset, 'progress'),
      body: { done, examplesPerSecond },
    } as const;
    void this.parts.client.requestOnce(request, z.unknown(), this.signal).catch(() => undefined);
  }

  upload(dataset: string): Promise<AnswersUpload> {
    const requests = {
      append: async (offset: number, body: Uint8Array<ArrayBuffer>) => {
        const path = this.ofDataset(dataset, 'answers', `&offset=${offset}`);
        const { size } = await this.request({ method: 'PUT', path, body }, ChunkStored);
        const expected = offset + body.length;
        if (size !== expected) throw new Error(`The service stored ${size} bytes of answers instead of ${expected}.`);
      },
      complete: async (size: number, facts: object) => {
        const { run } = this.assignment;
        failpoint('before-commit', run);
        await this.send({ method: 'POST', path: this.ofDataset(dataset, 'answers'), body: { size, ...facts } });
        failpoint('after-commit', run);
      },
    };
    return Promise.resolve(new AnswerChunks(requests, this.assignment.output));
  }

  failDataset(dataset: string, why: Failure): Promise<void> {
    return this.send({
      method: 'POST',
      path: this.ofDataset(dataset, 'failure'),
      body: { failure: reported(why) },
    });
  }

  finish(result: RunResult): Promise<void> {
    return this.end({ kind: 'finished', ...result, ...this.image() });
  }

  fail(why: Failure, log?: RunLog): Promise<void> {
    return this.end({ kind: 'failed', failure: reported(why), ...(log && { log }), ...this.image() });
  }

  abandon(): Promise<void> {
    return this.end({ kind: 'abandoned' });
  }

  postpone(): Promise<void> {
    return this.end({ kind: 'postponed' });
  }

  interrupt(): Promise<void> {
    return this.end({ kind: 'interrupted' });
  }

  /** Returns the run to the queue, because the evaluator leaves. */
  release(signal: AbortSignal): Promise<void> {
    return this.end({ kind: 'released' }, signal);
  }

  /** Returns the run to the queue, because of an error of this evaluator. */
  failPlatform(message: string): Promise<void> {
    return this.end({ kind: 'platform_failed', message: printable(message) });
  }

  hasWaited(seconds: number): Promise<boolean> {
    const held = (performance.now() - this.leasedAt) / 1000;
    return Promise.resolve(this.view.waitedSeconds + held >= seconds);
  }

  async evaluationsWait(): Promise<boolean> {
    return (await this.request({ method: 'GET', path: '/queue' }, QueueView)).evaluationsWait;
  }

  /** Aborts requests that are left, and releases the artifact. Call it when nothing uses the run any more. */
  async close(): Promise<void> {
    this.closed.abort(new RunEnded());
    await this.uploaded.release();
  }

  private image(): { readonly rebuilt?: ImageFacts } {
    return this.rebuilt ? { rebuilt: this.rebuilt } : {};
  }

  private async *lines(path: string): AsyncGenerator<string[]> {
    const { chunks } = await this.parts.client.open({ method: 'GET', path }, this.signal);
    for await (const lines of lineGroups(chunks)) yield lines.filter((line) => line !== '');
  }

  private answerOf(prediction: unknown): Answer {
    const outcome = parseAnswer(this.assignment.output, prediction);
    if (!outcome.ok) throw new Error(`The service sent a stored answer that ${outcome.why}.`);
    return outcome.answer;
  }

  private async end(body: RunOutcome, signal = this.signal): Promise<void> {
    await this.parts.client.send({ method: 'POST', path: this.path('outcome'), body }, signal);
    this.outcome = body.kind;
  }

  private request<T>(request: ServiceRequest, schema: z.ZodType<T>): Promise<T> {
    return this.parts.client.request(request, schema, this.signal);
  }

  private send(request: ServiceRequest): Promise<void> {
    return this.parts.client.send(request, this.signal);
  }

  private ofDataset(dataset: string, route: string, query = ''): string {
    return this.path(`datasets/${encodeURIComponent(dataset)}/${route}`, query);
  }

  private path(route: string, query = ''): string {
    const { run, fence } = this.view.assignment;
    return `/runs/${encodeURIComponent(run)}/${route}?fence=${fence}${query}`;
  }
}
