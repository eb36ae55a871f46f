import { DomainError } from '@assay/kernel';
import { type Model, RunSpecification } from '@assay/submissions';
import { Artifact, ArtifactRepository } from '@assay/submissions/artifacts';
import { type EntityManager, LockMode } from '@mikro-orm/postgresql';
import { RunRepository } from '../runs/run.repository.js';

/**
 * Marks the artifact of a model as archived: its bytes are to be removed, its scores remain. Other
 * models of the same owner with the same bytes are archived with it. Idempotent. Runs in the
 * caller's transaction; call `removeArchived` after that has committed.
 * @returns false if it was archived already
 * @throws DomainError `no_artifact`, `artifact_shared`, `model_at_work`
 */
export async function archiveArtifact(em: EntityManager, model: Model): Promise<boolean> {
  const artifact = await lockedArtifact(em, model);
  if (!artifact) {
    throw new DomainError('conflict', 'no_artifact', 'This model has no artifact to archive.');
  }
  if (await new ArtifactRepository(em).isShared(artifact.id, model.owner.id)) {
    const sentence = 'Another user has submitted the same artifact, so it cannot be archived.';
    throw new DomainError('conflict', 'artifact_shared', sentence);
  }
  if (await new RunRepository(em).hasLiveRun(artifact.id)) {
    const sentence = 'A model with this artifact is queued or running. Cancel it first.';
    throw new DomainError('conflict', 'model_at_work', sentence);
  }
  if (artifact.archivedAt) return false;
  artifact.archivedAt = new Date();
  await em.flush();
  return true;
}

/**
 * Removes the bytes of the model's archived artifact. Holds a lock on the artifact, so a concurrent
 * upload of the same bytes waits and then finds them missing. Idempotent.
 * @param remove removes a blob by its digest, unless something else refers to it
 */
export async function removeArchived(
  em: EntityManager,
  model: Model,
  remove: (digest: string) => Promise<void>,
): Promise<void> {
  const artifact = await lockedArtifact(em, model);
  if (artifact?.archivedAt) await remove(artifact.digest);
}

async function lockedArtifact(em: EntityManager, model: Model): Promise<Artifact | null> {
  if (!model.specification) return null;
  const { artifact } = await em.findOneOrFail(RunSpecification, model.specification.id);
  return em.findOneOrFail(Artifact, artifact.id, { lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true });
}
