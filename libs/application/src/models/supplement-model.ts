import { isFinal } from '@assay/contracts/models';
import { EvaluationRepository, EvaluationRequests } from '@assay/evaluation/evaluations';
import { UserRepository } from '@assay/identity';
import { type Actor, AuditLog } from '@assay/identity/audit';
import { DomainError } from '@assay/kernel';
import { inTransaction } from '@assay/persistence/queries';
import { type Blob, BLOB_STORE, type BlobStore, unlessRefused } from '@assay/storage';
import { artifactGone, auditedModel, type Model, ModelRepository } from '@assay/submissions';
import { expectRoom, UserStorageService } from '@assay/submissions/artifacts';
import { ownSpecification, Supplement } from '@assay/submissions/supplements';
import { TaskRepository } from '@assay/tasks';
import { EntityManager } from '@mikro-orm/postgresql';
import { Inject, Injectable } from '@nestjs/common';
import { emptyArtifact, type ReceivedArtifact } from './receive-artifact.js';

/** The maximum number of files that are added to one model. */
const MOST_SUPPLEMENTS = 100;

/**
 * Receives a file of predictions for datasets that came after a model. It counts towards no quota
 * of submissions. The worker accepts or refuses it.
 */
@Injectable()
export class SupplementModel {
  constructor(
    private readonly em: EntityManager,
    private readonly evaluations: EvaluationRequests,
    private readonly storage: UserStorageService,
    @Inject(BLOB_STORE) private readonly blobs: BlobStore,
  ) {}

  /**
   * @param actor who sent the bytes; the audit log records it
   * @throws DomainError `empty_artifact`, `artifact_gone`, `storage_quota`, `not_predictions`,
   *   `not_scored_yet`, `artifact_archived`, `too_many_supplements`, `nothing_missing`
   */
  async execute(modelId: string, stored: Blob, actor: Actor): Promise<ReceivedArtifact> {
    if (stored.size === 0) throw emptyArtifact();
    return unlessRefused(this.blobs, stored, () =>
      inTransaction(this.em, async (em) => {
        const model = await new ModelRepository(em).getForUpdate(modelId);
        if (await isKnown(em, model, stored.digest)) return { created: false, state: model.state };
        this.expectKind(model);
        await expectSettled(em, model);
        await new TaskRepository(em).lockShared(model.task.id);
        await new UserRepository(em).lock(model.owner.id);
        await this.attach(em, model, stored, actor);
        return { created: true, state: model.state };
      }),
    );
  }

  /**
   * Checks the kind of a model before bytes are received for it.
   * @throws DomainError `not_predictions`
   */
  expectKind({ kind }: Pick<Model, 'kind'>): void {
    if (kind === 'predictions') return;
    const sentence = 'Only a model of the kind predictions takes further predictions. Others are run on new datasets.';
    throw new DomainError('conflict', 'not_predictions', sentence);
  }

  private async attach(em: EntityManager, model: Model, { digest, size }: Blob, actor: Actor): Promise<void> {
    const { specification, replaced } = await ownSpecification(em, model);
    if (replaced) {
      const copied = { from: replaced.id, to: specification.id, task: model.task.id };
      await new EvaluationRepository(em).copy(copied);
    }
    em.create(Supplement, { specification, digest, size, failure: null, archivedAt: null });
    const to = { artifact: digest, bytes: size };
    AuditLog.record(em, actor, { action: 'model.supplemented', subject: auditedModel(model), to });
    if (!(await this.blobs.has(digest))) throw artifactGone();
    await em.flush();
    expectRoom(await this.storage.of(model.owner.id, em), 0);
    const { missing } = await this.evaluations.requestMissing(em, model.task, specification);
    if (missing === 0) throw nothingMissing();
    await em.refresh(model);
  }
}

/** Returns whether the file was added to the model, and was not refused. */
async function isKnown(em: EntityManager, { specification }: Model, digest: string): Promise<boolean> {
  if (!specification) return false;
  const same = await em.findOne(Supplement, { specification: specification.id, digest });
  if (same?.state !== 'refused') return same !== null;
  // the reason may have gone, such as a deadline
  em.remove(same);
  await em.flush();
  return false;
}

/** @throws DomainError `not_scored_yet`, `artifact_archived`, `too_many_supplements` */
async function expectSettled(em: EntityManager, model: Model): Promise<void> {
  const { specification } = await em.populate(model, ['specification.artifact']);
  if (!specification || !model.firstScoredAt || !isFinal(model.state) || model.state === 'cancelled') {
    throw new DomainError('conflict', 'not_scored_yet', 'Wait until the predictions of this model are scored.');
  }
  if (specification.artifact.archivedAt) {
    throw new DomainError('conflict', 'artifact_archived', 'The artifact of this model is archived. Upload it again.');
  }
  if ((await em.count(Supplement, { specification: specification.id })) >= MOST_SUPPLEMENTS) {
    const sentence = `${MOST_SUPPLEMENTS} files were added to this model, the limit.`;
    throw new DomainError('conflict', 'too_many_supplements', sentence);
  }
}

const nothingMissing = (): DomainError =>
  new DomainError('conflict', 'nothing_missing', 'This model has predictions for every dataset of the task.');
