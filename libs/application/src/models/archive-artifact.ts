import { archiveArtifact, removeArchived } from '@assay/evaluation/evaluations';
import { type Principal } from '@assay/identity';
import { AuditLog } from '@assay/identity/audit';
import { mayRemoveBytes } from '@assay/persistence';
import { inTransaction } from '@assay/persistence/queries';
import { BLOB_STORE, type BlobStore } from '@assay/storage';
import { auditedModel, Model, ModelsService } from '@assay/submissions';
import { EntityManager } from '@mikro-orm/postgresql';
import { Inject, Injectable } from '@nestjs/common';
import { isBlobReferenced } from '../blobs/blob-references.js';

/**
 * Archives the artifact of a model: its bytes are removed and its scores stay. On datasets that are
 * added later the model is incomplete until the same bytes are uploaded again.
 */
@Injectable()
export class ArchiveArtifact {
  constructor(
    private readonly em: EntityManager,
    private readonly models: ModelsService,
    @Inject(BLOB_STORE) private readonly blobs: BlobStore,
  ) {}

  /** @throws DomainError `not_found`, `not_the_owner`, `no_artifact`, `artifact_shared`, `model_at_work` */
  async execute(principal: Principal, modelId: string): Promise<void> {
    await this.models.getOwned(principal, modelId);
    await inTransaction(this.em, async (em) => {
      // locks the artifact alone: an upload locks the artifact before it waits for the specification
      const model = await em.findOneOrFail(Model, modelId, { populate: ['task', 'owner'] });
      if (!(await archiveArtifact(em, model))) return;
      const changes = { from: { archived: false }, to: { archived: true } };
      AuditLog.record(em, principal, { action: 'model.archived', subject: auditedModel(model), ...changes });
    });
    await this.em.transactional(async (em) => {
      if (!(await mayRemoveBytes(em))) return;
      await removeArchived(em, await this.models.getOwned(principal, modelId), async (digest) => {
        if (!(await isBlobReferenced(em, digest))) await this.blobs.delete(digest);
      });
    });
  }
}
