import type { Answer } from '@assay/contracts';
import { isCostMetric } from '@assay/contracts/metrics';
import { failure, type Failure, type FailureCode } from '@assay/contracts/models';
import { type TaskDefinition, taskWeights } from '@assay/contracts/tasks';
import { notifyModels } from '@assay/evaluation';
import type { Evaluation } from '@assay/evaluation/evaluations';
import { AnswersFile, type RunMaterial } from '@assay/evaluation/execution';
import {
  abandonRun,
  failEvaluation,
  failRun,
  finishRun,
  postponeRun,
  recordAdmission,
  recordRefusal,
  startEvaluation,
} from '@assay/evaluation/outcomes';
import { type RunLease, RunRepository } from '@assay/evaluation/runs';
import { unreadableDataset } from '@assay/evaluation/scoring';
import { DomainError } from '@assay/kernel';
import { failpoint } from '@assay/observability';
import { answersAt, type BlobStore } from '@assay/storage';
import { unpackedBeyond, type UserStorageService } from '@assay/submissions/artifacts';
import { datasetRows, namedExamples } from '@assay/tasks/examples';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { Assignment, InputRow } from './assignment.js';
import {
  type AnswersUpload,
  InputsUnavailable,
  type LeasedRun,
  type Progress,
  type RebuiltImage,
  type RunLog,
  type RunResult,
} from './leased-run.js';

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
}

/** For tests of other features: unlimited storage for every owner. */
const UNLIMITED: OwnersStorage = {
  roomFor: () => Promise.resolve(Infinity),
  expectRoomFor: () => Promise.resolve(),
};

/** A leased run of an evaluator that reads and writes the stores of the service itself. */
export class DatabaseRun implements LeasedRun {
  readonly assignment: Assignment;
  private readonly cells: ReadonlyMap<string, Evaluation>;
  private readonly storage: OwnersStorage;

  constructor(
    private readonly stores: ServiceStores,
    private readonly lease: RunLease,
    private readonly material: RunMaterial,
  ) {
    this.assignment = assignmentOf(lease, material);
    this.cells = new Map(material.cells.map((cell) => [cell.id, cell]));
    this.storage = stores.storage ?? UNLIMITED;
  }

  get seconds(): number {
    return this.lease.seconds;
  }

  artifact(): Promise<string> {
    return this.stores.blobs.path(this.material.artifact.digest);
  }

  async unpackedLimit(): Promise<number> {
    return Math.min(this.material.definition.limits.unpacked, await this.room());
  }

  async admit(image: RebuiltImage): Promise<void> {
    const { scope } = this.lease;
    failpoint('before-admission', this.lease.runId);
    try {
      await recordAdmission(this.lease, image, (em) =>
        this.storage.expectRoomFor(em, scope.specification, image.unpackedBytes),
      );
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      await failRun(this.lease, failure('storage_quota', error.message));
    }
    failpoint('after-admission', this.lease.runId);
  }

  /**
   * If only storage is missing, the run fails but the artifact stays unchanged: its owner may free
   * space or get a larger quota.
   */
  async refuse(code: FailureCode, message: string): Promise<void> {
    const room = code === 'unpacked_too_large' ? await this.room() : Infinity;
    if (room < this.material.definition.limits.unpacked) {
      return failRun(this.lease, failure('storage_quota', unpackedBeyond(room)));
    }
    return recordRefusal(this.lease, failure(code, message));
  }

  async *inputs(dataset: string): AsyncGenerator<readonly InputRow[]> {
    const cell = this.cells.get(dataset)!;
    const { definition } = this.material;
    try {
      yield* datasetRows(definition, this.stores.blobs.open(cell.datasetVersion.content));
    } catch (error) {
      const unreadable = unreadableDataset(error, cell.datasetVersion.dataset);
      if (!unreadable) throw error;
      await failEvaluation(this.lease, dataset, unreadable);
      throw new InputsUnavailable();
    }
  }

  async storedAnswers(dataset: string, places: readonly number[]): Promise<readonly (Answer | null)[] | null> {
    const { predictions } = this.cells.get(dataset)!;
    if (!predictions) return null;
    return answersAt(await this.stores.blobs.path(predictions), places);
  }

  start(dataset: string): Promise<boolean> {
    return startEvaluation(this.lease, dataset);
  }

  progress(dataset: string, progress: Progress): void {
    const { dataset: named, examples: total } = this.cells.get(dataset)!.datasetVersion;
    const event = { type: 'progress' as const, ...namedExamples(named), total, ...progress };
    void notifyModels(this.stores.em.fork(), { ...this.lease.scope, event }).catch(() => undefined);
  }

  async upload(dataset: string): Promise<AnswersUpload> {
    const file = await AnswersFile.create(this.lease, dataset, this.material.definition.output, this.stores);
    return {
      append: (answers) => file.append(answers),
      finish: (facts) => file.store(facts),
      discard: () => file.discard(),
    };
  }

  failDataset(dataset: string, why: Failure): Promise<void> {
    return failEvaluation(this.lease, dataset, why);
  }

  async finish(result: RunResult): Promise<void> {
    await finishRun(this.lease, result);
  }

  fail(why: Failure, log?: RunLog): Promise<void> {
    return failRun(this.lease, why, log);
  }

  abandon(): Promise<void> {
    return abandonRun(this.lease);
  }

  postpone(): Promise<void> {
    return postponeRun(this.lease);
  }

  hasWaited(seconds: number): Promise<boolean> {
    return new RunRepository(this.stores.em.fork()).hasWaited(this.lease.runId, seconds);
  }

  evaluationsWait(): Promise<boolean> {
    return new RunRepository(this.stores.em.fork()).evaluationsWait();
  }

  private async room(): Promise<number> {
    return Math.max(0, await this.storage.roomFor(this.lease.scope.specification));
  }
}

function assignmentOf(
  lease: RunLease,
  { artifact, owners, definition, specification, cells }: RunMaterial,
): Assignment {
  const { command, environment, limits, runtime } = specification.content;
  return {
    run: lease.runId,
    fence: lease.fence,
    task: lease.scope.task,
    artifact: {
      kind: artifact.kind,
      digest: artifact.digest,
      image: artifact.image ?? null,
      isArchived: Boolean(artifact.archivedAt),
    },
    owners,
    specification: { command, environment, limits, runtime, repeatability: specification.repeatability ?? null },
    output: definition.output,
    weighsCosts: weighsCosts(definition),
    datasets: cells.map(({ id, datasetVersion: { id: version, dataset, original, examples } }) => ({
      id,
      version,
      visibility: dataset.visibility,
      isOriginal: original === null,
      examples,
    })),
  };
}

/** True if a cost has a weight on the board of the task, or a bound for its loop. */
export function weighsCosts(definition: TaskDefinition): boolean {
  const bounded = Object.keys({ ...definition.loop.minimum, ...definition.loop.maximum });
  const weighed = Object.entries(taskWeights(definition)).flatMap(([name, weight]) => (weight > 0 ? [name] : []));
  return [...bounded, ...weighed].some(isCostMetric);
}
