import { setTimeout as sleep } from 'node:timers/promises';
import type { Answer } from '@assay/contracts';
import type { Measures, Repeatability } from '@assay/contracts/metrics';
import type { Failure } from '@assay/contracts/models';
import { seededRng, type Rng } from '@assay/kernel';
import { failpoint } from '@assay/observability';
import type { Held } from '@assay/persistence/locks';
import type { Sandbox, SandboxSpecification } from '@assay/sandbox';
import { medianOf, standardDeviation } from '@assay/scoring/metrics';
import type { AdmittedFacts } from '@assay/contracts/gateway';
import type { LeasedRun, RunLog } from '../../gateway/leased-run.js';
import type { LiveRequests } from '../../host/live-requests.js';
import { seenVersions, timedDatasets, type DataGroup } from '../data/data-groups.js';
import { KnownAnswers } from '../data/known-answers.js';
import { disclosedFailure } from '../failure-sentence.js';
import { inTurn } from '../hidden-turn.js';
import { offlinePass } from '../offline-pass.js';
import { RepeatSample } from '../repeat/repeat-sample.js';
import { checkRepeatability } from '../repeat/repeatability-check.js';
import { disclosedLog, inSandbox, LOG_BYTES, sandboxSpecification, startFailure } from '../session/model-sandbox.js';
import { ModelSession } from '../session/model-session.js';
import type { SandboxRunParts } from '../session/sandbox-session.js';
import { TimeBudget } from '../session/time-budget.js';
import { warmUp, warmUpUntilSteady } from '../session/warm-up.js';
import { Contention } from './contention.js';
import { Costs } from './costs.js';
import { latencyPass } from './latency-pass.js';
import { drawnDatasets, measuredRows } from './measured-data.js';
import { FIRST_ROWS, type MeasuredRows, PASS_ROWS, timedWindows } from './measured-rows.js';
import type { SampledRow } from './timed-sample.js';

/** Total seconds of the offline passes. */
const OFFLINE_SECONDS = 60;
/** Seconds without a live request on the host after which a measurement may begin. */
const UNASKED_SECONDS = 120;
/** How often an automatic measurement checks whether a model waits for its scores. */
const QUEUE_MILLISECONDS = 2_000;
/** The number of interruptions by live requests after which a measurement is not interrupted again. */
const MOST_INTERRUPTIONS = 2;

export interface MeasuresRunParts extends SandboxRunParts {
  /**
   * Seconds that the run waits for a quiet host. After that it measures anyway, and marks the costs
   * as contended.
   */
  readonly patienceSeconds: number;
  readonly liveRequests: LiveRequests;
}

const NOT_COMPARED: Repeatability = { compared: 0, different: 0 };

/** A model waits for its scores, so an automatic measurement gives way. */
class EvaluationsFirst extends Error {
  constructor() {
    super('a model waits for its scores');
    this.name = 'EvaluationsFirst';
  }
}

type Passed = { readonly measures: Measures | null } | { readonly failure: Failure; readonly log: RunLog };

/**
 * Remeasures the costs of a model when the host is quiet, for about a minute, on at most about 10,000
 * examples of the most public data and on variants of them where they are few. No input is sent twice.
 * The answers only have to match those that were scored; scores and states stay unchanged, whatever the
 * model does.
 *
 * A live request on the host interrupts it: nothing is stored, and the run returns to the queue. The
 * third request in a row interrupts nothing, but the costs are marked as contended. A measurement that no
 * user has requested also returns to the queue as soon as a model waits for its scores, unless the board weighs
 * it, it is the first one of its model, and it has waited long enough.
 */
export class MeasuresRun {
  private readonly rng: Rng;
  /** Aborted when a live request comes. */
  private readonly asked: AbortSignal;
  /** Aborted when a model waits for its scores and the measurement gives way to it. */
  private readonly evaluationsFirst = new AbortController();
  /** Aborted when the measurement must end. */
  private readonly signal: AbortSignal;
  private readonly group: DataGroup;
  private repeats = new RepeatSample();

  constructor(
    private readonly parts: MeasuresRunParts,
    private readonly leased: LeasedRun,
    /** Aborted when the lease is lost or the evaluator shuts down. */
    private readonly given: AbortSignal,
  ) {
    const { run, fence, datasets, interruptions } = leased.assignment;
    this.rng = seededRng(`${run}/${fence}`);
    this.asked = parts.liveRequests.next;
    this.signal = AbortSignal.any([
      given,
      this.evaluationsFirst.signal,
      ...(interruptions < MOST_INTERRUPTIONS ? [this.asked] : []),
    ]);
    this.group = timedDatasets(datasets);
  }

  async take(): Promise<void> {
    const { leased, signal } = this;
    const { assignment } = leased;
    const { artifact, datasets, owners, specification: submitted } = assignment;
    const { image } = artifact;
    if (!image || artifact.isArchived || datasets.length === 0) return leased.abandon();

    const due = await leased.hasWaited(this.parts.patienceSeconds);
    const isFirst = due && assignment.mayDrain;
    const lock = await this.quietHost({ due, isFirst });
    if (!lock) return leased.postpone();
    const ended = new AbortController();
    if (assignment.isAutomatic && !isFirst) void this.giveWay(ended.signal);
    try {
      const digest = await this.parts.images.install(
        { ...artifact, ...submitted, source: () => leased.artifact(), onRebuilt: (facts) => leased.noteImage?.(facts) },
        signal,
      );
      const specification = sandboxSpecification(assignment, { digest, image }, this.group.data);
      const turn = { ...this.parts, owners, signal };
      if (!(await inTurn([this.group.data], turn, () => this.measure(specification, image)))) {
        await leased.postpone();
      }
    } catch (error) {
      if (this.given.aborted || !signal.aborted) throw error;
      await (signal.reason instanceof EvaluationsFirst ? leased.postpone() : leased.interrupt());
    } finally {
      ended.abort();
      await lock.release();
    }
  }

  /** Aborts the measurement when a model waits for its scores, until `ended` is aborted. */
  private async giveWay(ended: AbortSignal): Promise<void> {
    try {
      while (!this.evaluationsFirst.signal.aborted) {
        await sleep(QUEUE_MILLISECONDS, undefined, { signal: ended });
        if (await this.leased.evaluationsWait()) this.evaluationsFirst.abort(new EvaluationsFirst());
      }
    } catch {
      // the measurement has ended, or the service does not answer: then the lease will be lost
    }
  }

  /**
   * Acquires the measuring lock if nothing else on the host would affect the measurement, or if the
   * run has waited long enough. Null if it cannot measure now: people ask target models of the host, or
   * evaluations wait for their scores.
   * @param isFirst true if those wait for the measurement: it then waits only for the runs in progress to end
   */
  private async quietHost({ due, isFirst }: { due: boolean; isFirst: boolean }): Promise<Held | null> {
    if (this.parts.liveRequests.idleSeconds < UNASKED_SECONDS) return null;
    if (!isFirst && (await this.leased.evaluationsWait())) return null;
    if (isFirst) return this.parts.locks.measuring(this.given, this.leased.seconds);
    const lock = await this.parts.locks.tryMeasuring();
    if (!lock || due) return lock;
    let quiet = false;
    try {
      quiet = await this.parts.driver.isQuiet();
    } finally {
      if (!quiet) await lock.release();
    }
    return quiet ? lock : null;
  }

  private async measure(specification: SandboxSpecification, image: AdmittedFacts): Promise<void> {
    const { leased, signal } = this;
    const { assignment } = leased;
    const datasets = await drawnDatasets(leased, this.group.datasets, this.rng);
    this.repeats = RepeatSample.draw(datasets, this.rng);
    const rows = await measuredRows(leased, datasets, this.rng);
    const known = await KnownAnswers.read(datasets, leased);
    const { limits } = specification;
    const { evaluationSeconds, requestSeconds } = assignment.specification.limits;
    const started = await this.parts.driver.start(specification, signal);
    const { data } = this.group;
    if (started.kind !== 'ready') {
      const failure = disclosedFailure(startFailure(started, image), data);
      return leased.fail(failure, disclosedLog(started.log, data, seenVersions(this.group.datasets)));
    }

    const budget = new TimeBudget(evaluationSeconds, requestSeconds);
    const { sandbox, coldStartMilliseconds: coldStart } = started;
    const passed = await inSandbox(sandbox, signal, () =>
      this.passes({ sandbox, budget, coldStart, limits }, rows, known),
    );
    if ('failure' in passed) return leased.fail(passed.failure, passed.log);

    const repeatability = await this.repeatability(specification, budget);
    const contradiction = known.contradiction(repeatability ?? assignment.specification.repeatability ?? NOT_COMPARED);
    if (contradiction) return leased.fail(disclosedFailure(contradiction, data));

    const { measures } = passed;
    const instances = instancesOf(rows.latency);
    const request = { like: specification, instances, task: assignment.task, signal };
    const floor = measures ? await this.parts.floors.floor({ ...request, contended: 'taken again' }) : null;
    await leased.finish({
      measures: measures && { ...measures, floor, contended: measures.contended || this.asked.aborted },
      retakes: this.parts.retakes,
      ...(repeatability && { repeatability }),
    });
  }

  private async passes(
    running: {
      readonly sandbox: Sandbox;
      readonly budget: TimeBudget;
      readonly coldStart: number;
      readonly limits: SandboxSpecification['limits'];
    },
    rows: MeasuredRows,
    known: KnownAnswers,
  ): Promise<Passed> {
    failpoint('after-start');
    const { sandbox, budget, coldStart, limits } = running;
    const { leased, signal } = this;
    const { specification, output } = leased.assignment;
    const { data, datasets } = this.group;
    const failed = async (why: Failure): Promise<Passed> => ({
      failure: disclosedFailure(why, data),
      log: disclosedLog(await sandbox.log(LOG_BYTES), data, seenVersions(datasets)),
    });
    const note = ({ evaluation, row }: SampledRow, answer: Answer | null) => {
      this.repeats.listener(evaluation)(row, answer);
      known.listener(evaluation)(row, answer);
    };
    const session = new ModelSession(sandbox, output, leased.assignment);

    const instances = instancesOf(rows.warmUp);
    const cold = await warmUp({ session, instances: instances.slice(0, FIRST_ROWS), budget, signal });
    if (cold) return failed(cold);
    await warmUpUntilSteady({ session, instances: instances.slice(FIRST_ROWS), budget, signal });
    const contention = new Contention(sandbox);
    await contention.take();
    const latency = await latencyPass({ session, sample: rows.latency, budget, signal });
    if (latency.kind === 'failed') return failed(latency.failure);
    for (const sampled of rows.latency) {
      const answer = latency.answers.get(sampled.evaluation)?.get(sampled.row.index);
      if (answer !== undefined) note(sampled, answer);
    }

    const hardware = await this.parts.driver.hardware({ limits, runtime: specification.runtime });
    const contended = await contention.take();
    const costs = new Costs(sandbox, contention, { latency: latency.percentiles, coldStart, hardware, contended });
    const seconds = OFFLINE_SECONDS / rows.passes.length;
    const throughputs: number[] = [];
    let isShort = false;
    for (const pass of rows.passes.filter(({ length }) => length > 0)) {
      const numbered = pass.map(({ row: { instance } }, index) => ({ index, instance }));
      await costs.begin();
      const outcome = await offlinePass({
        session,
        windows: timedWindows(numbered, seconds),
        total: pass.length,
        rng: this.rng,
        budget,
        signal,
        // invalid answers are compared with the stored ones
        tolerance: 1,
        earlier: new Map(),
        store: () => Promise.resolve(),
        onAnswer: ({ index }, answer) => note(pass[index]!, answer),
        onProgress: () => undefined,
      });
      if (outcome.kind === 'failed') return failed(outcome.failure);
      await costs.add(outcome);
      throughputs.push(outcome.examples / outcome.seconds);
      isShort ||= outcome.examples === pass.length && pass.length < PASS_ROWS && outcome.seconds < seconds;
    }
    const measures = await costs.measures();
    return {
      measures: measures && {
        ...measures,
        throughput: medianOf(throughputs),
        ...(throughputs.length > 1 && { throughput_spread: standardDeviation(throughputs) }),
        ...(isShort && { short: true }),
      },
    };
  }

  /**
   * Compares the answers with those of another container if no earlier run has. Otherwise returns
   * null: the answers of this run already come from a fresh container, and are compared with the
   * stored ones.
   */
  private async repeatability(specification: SandboxSpecification, budget: TimeBudget) {
    const first = this.repeats.answers;
    const { output, specification: stored } = this.leased.assignment;
    if ((stored.repeatability?.compared ?? 0) > 0 || first.length === 0) return null;
    const session = (sandbox: Sandbox) => new ModelSession(sandbox, output, this.leased.assignment);
    return checkRepeatability({
      driver: this.parts.driver,
      specification,
      session,
      first,
      budget,
      signal: this.signal,
    });
  }
}

const instancesOf = (rows: readonly SampledRow[]): string[] => rows.map(({ row }) => row.instance);
