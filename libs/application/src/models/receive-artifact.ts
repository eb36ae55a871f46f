import type { ModelState } from '@assay/contracts/models';
import { EvaluationRequests } from '@assay/evaluation/evaluations';
import { type Actor, AuditLog } from '@assay/identity/audit';
import { DomainError } from '@assay/kernel';
import { inTransaction } from '@assay/persistence/queries';
import { type Blob, BLOB_STORE, type BlobStore, unlessRefused } from '@assay/storage';
import { artifactGone, auditedModel, Model, ModelRepository, ModelsService } from '@assay/submissions';
import { expectRoom, UserStorageService } from '@assay/submissions/artifacts';
import { EntityManager } from '@mikro-orm/postgresql';
import { Inject, Injectable } from '@nestjs/common';
import { DecideRuntime } from '../tasks/decide-runtime.js';

/** The result of receiving an artifact. */
export interface ReceivedArtifact {
  /** False if the model had these bytes already. */
  readonly created: boolean;
  readonly state: ModelState;
}

/** Receives a stored artifact for a model and requests the evaluations that it lacks. */
@Injectable()
export class ReceiveArtifact {
  constructor(
    private readonly em: EntityManager,
    private readonly models: ModelsService,
    private readonly evaluations: EvaluationRequests,
    private readonly storage: UserStorageService,
    private readonly runtimes: DecideRuntime,
    @Inject(BLOB_STORE) private readonly blobs: BlobStore,
  ) {}

  /**
   * Writes the model, its run and the outbox event in one transaction. If a rule refuses the bytes,
   * the blob is removed unless something else refers to it.
   * @param actor who sent the bytes; the audit log records it
   * @throws DomainError `empty_artifact`, `artifact_differs`, `artifact_gone`,
   *   `model_cancelled`, `quota_day`, `quota_total`, `storage_quota`
   */
  async execute(modelId: string, stored: Blob, actor: Actor): Promise<ReceivedArtifact> {
    if (stored.size === 0) throw emptyArtifact();
    return unlessRefused(this.blobs, stored, async () => {
      await this.decideRuntime(modelId);
      return this.attach(modelId, stored, actor);
    });
  }

  /** Decides the runtime of the task with its first model that runs, in a transaction of its own: `attach` locks the task last. */
  private async decideRuntime(modelId: string): Promise<void> {
    const model = await this.em.fork().findOne(Model, modelId, { populate: ['task.owner'] });
    if (model && model.kind !== 'predictions') await this.runtimes.execute(model.task);
  }

  private async attach(modelId: string, stored: Blob, actor: Actor): Promise<ReceivedArtifact> {
    return inTransaction(this.em, async (em) => {
      const model = await new ModelRepository(em).getForUpdate(modelId);
      const specification = await this.models.attachArtifact(em, model, stored);
      if (!specification) return { created: false, state: model.state };
      AuditLog.record(em, actor, {
        action: 'model.artifact',
        subject: auditedModel(model),
        to: { artifact: stored.digest, bytes: stored.size },
      });

      if (!(await this.blobs.has(stored.digest))) throw artifactGone();
      await em.flush();
      // uploads that end at the same time each had room when they began
      expectRoom(await this.storage.of(model.owner.id, em), 0);
      await this.evaluations.requestMissing(em, model.task, specification);
      await em.refresh(model);
      return { created: true, state: model.state };
    });
  }
}

export const emptyArtifact = (): DomainError =>
  new DomainError('invalid', 'empty_artifact', 'The artifact is empty. Send a file with content.');
