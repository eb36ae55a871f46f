import { type RunOutcome } from '@assay/contracts/gateway';
import { failure } from '@assay/contracts/models';
import { Evaluation } from '@assay/evaluation/evaluations';
import { leaseOwnerOf, type TokenHolder } from '@assay/evaluation/evaluators';
import { readMaterial } from '@assay/evaluation/execution';
import type { DatabaseRun } from '@assay/evaluation/gateway';
import {
  abandonRun,
  failRun,
  finishRun,
  interruptRun,
  postponeRun,
  releaseRun,
  retryRun,
} from '@assay/evaluation/outcomes';
import { LeaseLost, type RunClaim, RunRepository, unattendedClaim } from '@assay/evaluation/runs';
import { DomainError } from '@assay/kernel';
import { ArtifactRepository, type ImageFinding } from '@assay/submissions/artifacts';
import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable, Logger } from '@nestjs/common';
import { GatewayStores } from './gateway-stores.js';
import { UploadedAnswers } from './uploaded-answers.js';

/** A run that a request of an evaluator is about. */
export interface RunReference {
  readonly evaluator: TokenHolder;
  readonly run: string;
  readonly fence: number;
}

/** The runs that evaluators hold. Every method throws `LeaseLost` if the evaluator does not hold the run. */
@Injectable()
export class HeldRuns {
  private readonly logger = new Logger(HeldRuns.name);

  constructor(
    private readonly em: EntityManager,
    private readonly stores: GatewayStores,
    private readonly answers: UploadedAnswers,
  ) {}

  /** Extends the lease. */
  async renew(reference: RunReference): Promise<void> {
    const claim = await this.claim(reference);
    const isHeld = await new RunRepository(this.em.fork()).extend(claim, this.stores.leaseSeconds);
    if (!isHeld) throw new LeaseLost(`run ${claim.runId}`);
  }

  /** Returns the run without its evaluations. */
  async run(reference: RunReference): Promise<DatabaseRun> {
    return this.runOf(await this.claim(reference));
  }

  /**
   * Returns the run with one of the evaluations that it fills or measures.
   * @throws DomainError `not_found` if the evaluation is none of them
   */
  async withDataset(reference: RunReference, evaluation: string): Promise<DatabaseRun> {
    const { claim, cell } = await this.cellOf(reference, evaluation);
    return this.runOf(claim, [cell]);
  }

  /** @throws DomainError `not_found` if the run does not fill or measure the evaluation */
  async expectDataset(reference: RunReference, evaluation: string): Promise<void> {
    await this.cellOf(reference, evaluation);
  }

  private async cellOf(reference: RunReference, evaluation: string) {
    const claim = await this.claim(reference);
    const cell = await this.em.fork().findOne(Evaluation, evaluation, { populate: ['datasetVersion.dataset'] });
    const isOfRun =
      claim.stage === 'evaluation' &&
      cell?.specification.id === claim.scope.specification &&
      cell.datasetVersion.dataset.task.id === claim.scope.task;
    if (!isOfRun) throw DomainError.notFound('dataset of this run');
    return { claim, cell };
  }

  /** Ends the lease of a run. */
  async end(reference: RunReference, outcome: RunOutcome): Promise<void> {
    const claim = await this.claim(reference);
    expectStage(claim, outcome);
    const { evaluator } = reference;
    if ('rebuilt' in outcome && outcome.rebuilt)
      await this.compareImage(claim, { ...outcome.rebuilt, evaluator: evaluator.name });
    await this.record(claim, outcome, evaluator);
    await this.answers.discardAll(claim);
  }

  /** Records what this evaluator found in an image, if the one that admitted it found something else. */
  private async compareImage({ scope }: RunClaim, found: Omit<ImageFinding, 'at'>): Promise<void> {
    const artifacts = new ArtifactRepository(this.em.fork());
    const digest = await artifacts.compareImage(scope.specification, { ...found, at: new Date().toISOString() });
    if (digest) this.logger.warn(`${found.evaluator} rebuilt another image from ${digest} than its admission`);
  }

  private async record(claim: RunClaim, outcome: RunOutcome, evaluator: TokenHolder): Promise<void> {
    switch (outcome.kind) {
      case 'admitted': {
        const { port, protocol, unpackedBytes, unreadable, contentDigest } = outcome;
        return (await this.runOf(claim)).admit({
          ...{ port, protocol, unpackedBytes, unreadable, evaluator: evaluator.name },
          // users could make their model a copy of another one
          ...(evaluator.owner === null && contentDigest !== undefined && { contentDigest }),
        });
      }
      case 'refused':
        return (await this.runOf(claim)).refuse(outcome.code, outcome.message);
      case 'finished': {
        const { measures, log, repeatability, retakes } = outcome;
        const result = {
          measures,
          ...(log && { log }),
          ...(repeatability && { repeatability }),
          ...(retakes !== undefined && { retakes }),
        };
        await finishRun(claim, result, this.stores.measureAfterSeconds);
        return;
      }
      case 'failed':
        return failRun(claim, failure(outcome.failure.code, outcome.failure.message), outcome.log);
      case 'abandoned':
        return abandonRun(claim);
      case 'postponed':
        return postponeRun(claim);
      case 'interrupted':
        return interruptRun(claim);
      case 'released':
        return releaseRun(claim);
      case 'platform_failed':
        return retryRun(claim, outcome.message);
    }
  }

  private async runOf(claim: RunClaim, cells: readonly Evaluation[] = []): Promise<DatabaseRun> {
    return this.stores.run(claim, await readMaterial(this.em.fork(), claim, { cells }));
  }

  private async claim({ evaluator, run, fence }: RunReference): Promise<RunClaim> {
    const held = await new RunRepository(this.em.fork()).held({ runId: run, fence }, leaseOwnerOf(evaluator));
    if (!held) throw new LeaseLost(`run ${run}`);
    return unattendedClaim(this.em, held, this.stores.leaseSeconds);
  }
}

/** @throws DomainError `wrong_stage` for a verdict on the artifact of a run that evaluates, and the reverse */
function expectStage({ stage, runId }: RunClaim, { kind }: RunOutcome): void {
  const needed = { admitted: 'admission', refused: 'admission', finished: 'evaluation' } as const;
  const expected = kind in needed ? needed[kind as keyof typeof needed] : stage;
  if (expected === stage) return;
  throw new DomainError('conflict', 'wrong_stage', `Run ${runId} is at the stage ${stage}, so it cannot be ${kind}.`);
}
