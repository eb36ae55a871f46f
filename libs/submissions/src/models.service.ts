import type { QuotaView, SubmitModel } from '@assay/contracts/models';
import { type Principal, User, UserRepository } from '@assay/identity';
import { AuditLog, type AuditRecord } from '@assay/identity/audit';
import { DomainError, type PartOfList } from '@assay/kernel';
import { type Task, TaskRepository } from '@assay/tasks';
import { EntityManager, type FilterQuery, LockMode } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { Artifact } from './artifacts/artifact.js';
import { ArtifactRepository } from './artifacts/artifact.repository.js';
import { Model } from './model.js';
import { ModelRepository, type OwnModel } from './model.repository.js';
import { mayManage, maySee, visibleOf } from './model-visibility.js';
import { expectQuota, quotaAt, submissionsOf } from './artifacts/quota.js';
import { RunSpecification, specificationKey, specify } from './run-specification.js';
import { RunSpecificationRepository } from './run-specification.repository.js';
import { SubmissionRights } from './submission-rights.service.js';

/** A model in a list of models. */
export interface Summarised extends Pick<Model, 'id' | 'name' | 'kind' | 'state' | 'createdAt'> {
  readonly owner: Pick<User, 'username'>;
}

const SUMMARISED = { populate: ['owner'], fields: ['name', 'kind', 'state', 'createdAt', 'owner.username'] } as const;

/** The maximum number of models of one user on one task that are waiting for their artifacts. */
const MOST_AWAITING = 20;

@Injectable()
export class ModelsService {
  constructor(
    private readonly em: EntityManager,
    private readonly rights: SubmissionRights,
  ) {}

  /** @throws DomainError if the user may not submit to the task, or not now; `unknown_model` */
  async submit(principal: Principal, task: Task, { publish, ...facts }: SubmitModel): Promise<Model> {
    await this.rights.expect(principal.userId, task.slug);
    await this.expectVisible(principal, task, facts.derivedFrom);
    await this.checkQuota(this.em, principal.userId, task);
    return this.em.transactional(async (em) => {
      const model = em.create(Model, {
        task,
        owner: em.getReference(User, principal.userId),
        ...facts,
        command: facts.command ?? null,
        published: publish,
      });
      const to = { kind: facts.kind, published: publish };
      AuditLog.record(em, principal, { action: 'model.submitted', subject: auditedModel(model), to });
      await em.flush();
      await expectFewAwaiting(em, principal.userId, task);
      return model;
    });
  }

  /**
   * Returns a model that `principal` may see.
   * @throws DomainError `not_found`
   */
  async getVisible(principal: Principal | null, id: string): Promise<Model> {
    const model = await this.em.findOne(Model, { id }, { populate: ['owner', 'task'] });
    if (model && maySee(principal, model)) return model;
    throw DomainError.notFound('model');
  }

  /**
   * Returns a model that `principal` may change.
   * @throws DomainError `not_found`, `not_the_owner`
   */
  async getOwned(principal: Principal, id: string): Promise<Model> {
    const model = await this.getVisible(principal, id);
    if (mayManage(principal, model)) return model;
    throw new DomainError('forbidden', 'not_the_owner', 'Only the owner of this model may do this.');
  }

  /**
   * Returns one page of the models of `task` that `principal` may see, newest first.
   * @param behind the ID of the model after which the page starts; null for the first page
   * @returns at most `limit` models; null if `behind` is not a visible model of this list
   */
  async listOf(
    task: Task,
    principal: Principal | null,
    { limit, behind }: { readonly limit: number; readonly behind: string | null },
  ): Promise<readonly Summarised[] | null> {
    const visible = visibleOf(task, principal);
    if (behind !== null && !(await this.isOne(visible, behind))) return null;
    const where = behind === null ? visible : { $and: [visible, { id: { $lt: behind } }] };
    return this.em.find(Model, where, { ...SUMMARISED, orderBy: { id: 'desc' }, limit });
  }

  /** Returns the models of `task` with this name or ID that `principal` may see, newest first. */
  async namedOf(task: Task, principal: Principal | null, name: string): Promise<Model[]> {
    const named = z.guid().safeParse(name).success ? { $or: [{ name }, { id: name }] } : { name };
    const where = { $and: [visibleOf(task, principal), named] };
    return this.em.find(Model, where, { populate: ['owner', 'task'], orderBy: { id: 'desc' } });
  }

  /** Returns one page of the models that `principal` submitted to any task, newest first. */
  listOwned({ userId }: Principal, part: PartOfList): Promise<readonly OwnModel[]> {
    return new ModelRepository(this.em).ofOwner(userId, part);
  }

  /**
   * Checks that all `ids` are models of `task`.
   * @throws DomainError `unknown_model`, which names the first ID that is not
   */
  async expectAll(task: Task, ids: readonly string[]): Promise<void> {
    await this.expectAmong({ task }, task, ids, 'against');
  }

  /**
   * Checks that `principal` may see all `ids`, from which a model is derived, as models of `task`.
   * @throws DomainError `unknown_model`, which names the first ID that is not
   */
  async expectVisible(principal: Principal, task: Task, ids: readonly string[]): Promise<void> {
    await this.expectAmong(visibleOf(task, principal), task, ids, 'derivedFrom');
  }

  private async expectAmong(
    where: FilterQuery<Model>,
    { slug }: Task,
    ids: readonly string[],
    path: string,
  ): Promise<void> {
    if (ids.length === 0) return;
    const possible = ids.filter((id) => z.guid().safeParse(id).success);
    const known = await this.em.find(Model, { $and: [where, { id: { $in: possible } }] }, { fields: ['id'] });
    const unknown = ids.find((id) => !known.some((model) => model.id === id.toLowerCase()));
    if (unknown === undefined) return;
    throw new DomainError('invalid', 'unknown_model', `"${slug}" has no model "${unknown}".`, [
      { path, message: `"${unknown}" is not a model of this task` },
    ]);
  }

  /** Returns how much of the task's quota `principal` has used, with the limits. */
  async quota({ userId }: Principal, task: Task): Promise<QuotaView> {
    return this.quotaIn(this.em, userId, task);
  }

  /**
   * Checks the rights of its owner, the quota and the state of the model before an upload, so that an upload that would be
   * rejected is rejected before its bytes are received.
   * @throws DomainError `model_cancelled`, `not_a_submitter`, `account_unverified`, `quota_total`
   * @throws RefusedForNow `quota_day`
   */
  async expectArtifact(model: Model): Promise<void> {
    if (model.state === 'cancelled') throw cancelled();
    await this.rights.expect(model.owner.id, model.task.slug);
    if (model.specification === null) await this.checkQuota(this.em, model.owner.id, model.task);
  }

  /**
   * Attaches the stored bytes to the model. The caller has locked the model in the same
   * transaction. Locks the resulting specification if it exists, then the task (key share, against
   * new benchmark versions), then the owner, because several uploads that finish at the same time
   * could otherwise exceed the quota together.
   * @returns the specification, or null if the model already has these bytes. Bytes that were
   * archived count as new.
   * @throws DomainError `artifact_differs`, `artifact_gone`, `model_cancelled`, `quota_total`
   * @throws RefusedForNow `quota_day`
   */
  async attachArtifact(
    em: EntityManager,
    model: Model,
    stored: Pick<Artifact, 'digest' | 'size'>,
  ): Promise<RunSpecification | null> {
    const content = specify(model.task.definition, model, stored);
    const key = specificationKey(content);
    if (!model.specification) await new RunSpecificationRepository(em).lockKey(key);
    await new TaskRepository(em).lockShared(model.task.id);
    await new UserRepository(em).lock(model.owner.id);
    if (model.specification) {
      const present = await em.findOneOrFail(RunSpecification, model.specification.id);
      if (present.content.artifact === stored.digest) {
        return (await revived(em, present.artifact.id)) ? em.populate(present, ['artifact']).then(() => present) : null;
      }
      throw new DomainError(
        'conflict',
        'artifact_differs',
        'This model already has a different artifact. Submit this one as a new model.',
      );
    }
    if (model.state === 'cancelled') throw cancelled();
    await this.checkQuota(em, model.owner.id, model.task);

    const artifact = await this.artifactFor(em, model, stored);
    await em.upsert(
      RunSpecification,
      { key, artifact, content },
      { onConflictAction: 'ignore', onConflictFields: ['key'] },
    );
    const specification = await em.findOneOrFail(RunSpecification, { key }, { populate: ['artifact'] });
    model.specification = specification;
    model.acceptedAt = new Date();
    return specification;
  }

  private async artifactFor(
    em: EntityManager,
    model: Model,
    stored: Pick<Artifact, 'digest' | 'size'>,
  ): Promise<Artifact> {
    const { kind } = model;
    const { digest, size } = stored;
    await em.upsert(
      Artifact,
      { digest, kind, size, state: 'received' },
      { onConflictAction: 'ignore', onConflictFields: ['digest', 'kind'] },
    );
    const artifact = await em.findOneOrFail(Artifact, { digest, kind });
    await revived(em, artifact.id);
    return artifact;
  }

  private async isOne(where: FilterQuery<Model>, id: string): Promise<boolean> {
    return z.guid().safeParse(id).success && (await this.em.count(Model, { $and: [where, { id }] })) > 0;
  }

  /**
   * Submissions that failed in admission, or because of the platform or the task, do not count
   * towards the quota.
   */
  private async checkQuota(em: EntityManager, userId: string, task: Task): Promise<void> {
    expectQuota(task.slug, await this.quotaIn(em, userId, task), new Date());
  }

  private async quotaIn(em: EntityManager, userId: string, task: Task): Promise<QuotaView> {
    return quotaAt(new Date(), task.definition.quota, await submissionsOf(em, userId, task));
  }
}

/**
 * Checks the number of models that wait for artifacts. The lock on the user serialises concurrent
 * submissions.
 * @throws DomainError `too_many_awaiting`
 */
async function expectFewAwaiting(em: EntityManager, owner: string, task: Task): Promise<void> {
  await new UserRepository(em).lock(owner);
  if ((await em.count(Model, { owner, task, specification: null, state: 'awaiting-artifact' })) <= MOST_AWAITING)
    return;
  throw new DomainError(
    'conflict',
    'too_many_awaiting',
    `${MOST_AWAITING} of your models of "${task.slug}" already wait for artifacts, the limit. ` +
      'Upload those, or cancel some.',
  );
}

/**
 * Restores an archived artifact: it is unarchived and must be admitted again. Returns false, and
 * protects the artifact from being archived, if it was not archived.
 * @throws DomainError `artifact_gone`
 */
async function revived(em: EntityManager, id: string): Promise<boolean> {
  const { archivedAt } = await em.findOneOrFail(Artifact, id, { refresh: true });
  if (archivedAt === null) {
    if (!(await new ArtifactRepository(em).lockUnarchived(id))) throw artifactGone();
    return false;
  }
  const artifact = await em.findOneOrFail(Artifact, id, { lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true });
  if (!artifact.archivedAt) return false;
  artifact.receiveAgain();
  await em.flush();
  return true;
}

/** The error for bytes that were archived between their arrival and this transaction. */
export const artifactGone = (): DomainError =>
  new DomainError('conflict', 'artifact_gone', 'This artifact was archived during the upload. Upload it again.');

const cancelled = (): DomainError => new DomainError('conflict', 'model_cancelled', 'This model was cancelled.');

/** The audit log subject of a model. */
export const auditedModel = ({ id, name, task }: Model): AuditRecord['subject'] => ({
  kind: 'model',
  id,
  name: `${task.slug}/${name}`,
});
