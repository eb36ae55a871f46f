import type { Answer } from '@assay/contracts';
import { type Assignment, INPUTS_UNAVAILABLE } from '@assay/contracts/gateway';
import type { Measures } from '@assay/contracts/metrics';
import { failure, type Failure, type FailureCode } from '@assay/contracts/models';
import { DomainError } from '@assay/kernel';
import { answersAt, type BlobStore } from '@assay/storage';
import { type AdmittedImage, unpackedBeyond, type UserStorageService } from '@assay/submissions/artifacts';
import { datasetRows, namedExamples } from '@assay/tasks/examples';
import { inputVariants } from '@assay/tasks/perturbation';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { Evaluation } from '../evaluations/evaluation.js';
import { weighsCosts } from '../evaluations/weighs-costs.js';
import { AnswersFile } from '../execution/answers-file.js';
import type { RunMaterial } from '../execution/run-material.js';
import { notifyModels } from '../model-events.js';
import {
  abandonRun,
  failEvaluation,
  failRun,
  finishRun,
  interruptRun,
  postponeRun,
  recordAdmission,
  recordRefusal,
  type RunResult,
  startEvaluation,
} from '../outcomes/run-outcome.js';
import { LeaseLost, type RunClaim } from '../runs/run-lease.js';
import { type RunLog, RunRepository } from '../runs/run.repository.js';
import { isAutomatic, mayDrain } from '../runs/run.js';
import { unreadableDataset } from '../scoring/unreadable-dataset.js';

/** An example as a model may see it. */
export interface InputRow {
  /** Position in the dataset, from 0. */
  readonly index: number;
  /** The input fields of the task as JSON. */
  readonly instance: string;
}

/** The facts about the answers to a dataset. */
export interface AnswersFacts {
  /** The costs of the run so far. */
  readonly measures: Measures | null;
  /** IDs of the dataset versions that the sandbox had seen when it answered. */
  readonly seen: readonly string[];
  /** The indexes of the examples that were also sent as single, timed requests. */
  readonly timed: readonly number[];
}

/** The storage quotas of the owners of submissions. */
export type OwnersStorage = Pick<UserStorageService, 'roomFor' | 'expectRoomFor'>;

/** The stores of the service. */
export interface ServiceStores {
  readonly em: EntityManager;
  readonly blobs: BlobStore;
  /** Folder for answers on their way to the blob store. */
  readonly workFolder: string;
  /** Storage quotas that admitted artifacts count towards; default: unlimited. */
  readonly storage?: OwnersStorage;
  /** As of `finishRun`. */
  readonly measureAfterSeconds?: number;
}

/** For tests of other features: unlimited storage for every owner. */
const UNLIMITED: OwnersStorage = {
  roomFor: () => Promise.resolve(Infinity),
  expectRoomFor: () => Promise.resolve(),
};

/** A claimed run: its work, the bytes that it needs, and all that an evaluator may report about it. */
export class DatabaseRun {
  readonly assignment: Assignment;
  private readonly cells: ReadonlyMap<string, Evaluation>;
  private readonly storage: OwnersStorage;

  constructor(
    private readonly stores: ServiceStores,
    private readonly claim: RunClaim,
    private readonly material: RunMaterial,
    /** Seconds for which the lease is valid without a renewal. */
    readonly seconds: number,
  ) {
    this.assignment = assignmentOf(claim, material);
    this.cells = new Map(material.cells.map((cell) => [cell.id, cell]));
    this.storage = stores.storage ?? UNLIMITED;
  }

  artifact(): Promise<string> {
    return this.stores.blobs.path(this.material.artifact.digest);
  }

  async unpackedLimit(): Promise<number> {
    return Math.min(this.material.definition.limits.unpacked, await this.room());
  }

  async admit(image: AdmittedImage): Promise<void> {
    const { scope } = this.claim;
    try {
      await recordAdmission(this.claim, image, (em) =>
        this.storage.expectRoomFor(em, scope.specification, image.unpackedBytes),
      );
    } catch (error) {
      if (!(error instanceof DomainError) || error instanceof LeaseLost) throw error;
      await failRun(this.claim, failure('storage_quota', error.message));
    }
  }

  /**
   * If only storage is missing, the run fails but the artifact stays unchanged: its owner may free
   * space or get a larger quota.
   */
  async refuse(code: FailureCode, message: string): Promise<void> {
    const room = code === 'unpacked_too_large' ? await this.room() : Infinity;
    if (room < this.material.definition.limits.unpacked) {
      return failRun(this.claim, failure('storage_quota', unpackedBeyond(room)));
    }
    return recordRefusal(this.claim, failure(code, message));
  }

  async *inputs(dataset: string): AsyncGenerator<readonly InputRow[]> {
    const cell = this.cells.get(dataset)!;
    const { definition } = this.material;
    try {
      yield* datasetRows(definition, this.stores.blobs.open(cell.datasetVersion.content));
    } catch (error) {
      const unreadable = unreadableDataset(error, cell.datasetVersion.dataset);
      if (!unreadable) throw error;
      await failEvaluation(this.claim, dataset, unreadable);
      throw new DomainError('conflict', INPUTS_UNAVAILABLE, unreadable.message);
    }
  }

  /** Yields at most `count` variants of inputs of the dataset, as JSON, that are not scored. */
  variants(dataset: string, count: number): AsyncGenerator<string> {
    const seed = `${this.claim.runId}/${this.claim.fence}`;
    return inputVariants(this.material.definition, () => this.inputs(dataset), { count, seed });
  }

  async storedAnswers(dataset: string, places: readonly number[]): Promise<readonly (Answer | null)[] | null> {
    const { predictions } = this.cells.get(dataset)!;
    if (!predictions) return null;
    return answersAt(await this.stores.blobs.path(predictions), places);
  }

  /** Returns whether answers to the dataset are stored. */
  isAnswered(dataset: string): boolean {
    return this.cells.get(dataset)!.predictions !== null;
  }

  start(dataset: string): Promise<boolean> {
    return startEvaluation(this.claim, dataset);
  }

  progress(dataset: string, progress: { readonly done: number; readonly examplesPerSecond: number }): void {
    const { dataset: named, examples: total } = this.cells.get(dataset)!.datasetVersion;
    const event = { type: 'progress' as const, ...namedExamples(named), total, ...progress };
    void notifyModels(this.stores.em.fork(), { ...this.claim.scope, event }).catch(() => undefined);
  }

  async upload(dataset: string) {
    const file = await AnswersFile.create(this.claim, dataset, this.material.definition.output, this.stores);
    return {
      append: (answers: readonly (Answer | null)[]) => file.append(answers),
      finish: (facts: AnswersFacts) => file.store(facts),
      discard: () => file.discard(),
    };
  }

  failDataset(dataset: string, why: Failure): Promise<void> {
    return failEvaluation(this.claim, dataset, why);
  }

  async finish(result: RunResult): Promise<void> {
    await finishRun(this.claim, result, this.stores.measureAfterSeconds);
  }

  fail(why: Failure, log?: RunLog): Promise<void> {
    return failRun(this.claim, why, log);
  }

  abandon(): Promise<void> {
    return abandonRun(this.claim);
  }

  postpone(): Promise<void> {
    return postponeRun(this.claim);
  }

  interrupt(): Promise<void> {
    return interruptRun(this.claim);
  }

  async hasWaited(seconds: number): Promise<boolean> {
    return (await new RunRepository(this.stores.em.fork()).waitedSeconds(this.claim.runId)) >= seconds;
  }

  evaluationsWait(): Promise<boolean> {
    return new RunRepository(this.stores.em.fork()).evaluationsWait();
  }

  private async room(): Promise<number> {
    return Math.max(0, await this.storage.roomFor(this.claim.scope.specification));
  }
}

function assignmentOf(
  claim: RunClaim,
  { artifact, owners, definition, specification, cells }: RunMaterial,
): Assignment {
  const { command, environment, limits, runtime } = specification.content;
  return {
    run: claim.runId,
    fence: claim.fence,
    task: claim.scope.task,
    artifact: {
      kind: artifact.kind,
      digest: artifact.digest,
      size: artifact.size,
      image: artifact.image ? { port: artifact.image.port, unreadable: artifact.image.unreadable } : null,
      isArchived: Boolean(artifact.archivedAt),
    },
    owners,
    specification: { command, environment, limits, runtime, repeatability: specification.repeatability ?? null },
    output: definition.output,
    strictProbabilities: definition.strictProbabilities ?? false,
    weighsCosts: weighsCosts(definition),
    isAutomatic: isAutomatic(claim.priority),
    mayDrain: mayDrain(claim.priority),
    interruptions: claim.interruptions,
    datasets: cells.map(({ id, datasetVersion: { id: version, dataset, original, examples } }) => ({
      id,
      version,
      visibility: dataset.visibility,
      isOriginal: original === null,
      examples,
    })),
  };
}
