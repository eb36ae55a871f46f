import { archiveArtifact, removeArchived } from '@assay/evaluation/evaluations';
import { type Principal } from '@assay/identity';
import { AuditLog } from '@assay/identity/audit';
import { mayRemoveBytes } from '@assay/persistence';
import { inTransaction } from '@assay/persistence/queries';
import { BLOB_STORE, type BlobStore } from '@assay/storage';
import { auditedModel, Model, ModelsService } from '@assay/submissions';
import { Supplement } from '@assay/submissions/supplements';
import { EntityManager } from '@mikro-orm/postgresql';
import { Inject, Injectable } from '@nestjs/common';
import { isBlobReferenced } from '../blobs/blob-references.js';

/**
 * Archives the artifact of a model and the files that were added to it: their bytes are removed and
 * the scores stay. On datasets that are added later the model is incomplete until the same bytes are
 * uploaded again.
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
      await em.nativeUpdate(
        Supplement,
        { specification: model.specification!.id, archivedAt: null },
        { archivedAt: new Date() },
      );
      const changes = { from: { archived: false }, to: { archived: true } };
      AuditLog.record(em, principal, { action: 'model.archived', subject: auditedModel(model), ...changes });
    });
    await this.em.transactional(async (em) => {
      if (!(await mayRemoveBytes(em))) return;
      const model = await this.models.getOwned(principal, modelId);
      const remove = async (digest: string) => {
        if (!(await isBlobReferenced(em, digest))) await this.blobs.delete(digest);
      };
      await removeArchived(em, model, remove);
      const specification = model.specification?.id;
      if (!specification) return;
      for (const { digest } of await em.find(Supplement, { specification, archivedAt: { $ne: null } })) {
        await remove(digest);
      }
    });
  }
}
