import type { LoopPreview, LoopView } from '@assay/contracts/boards';
import type { LoopPolicy } from '@assay/contracts/tasks';
import { AuditLog } from '@assay/identity/audit';
import { DomainError } from '@assay/kernel';
import { Outbox } from '@assay/persistence/outbox';
import { Model } from '@assay/submissions';
import { lockTask, Round, type Task } from '@assay/tasks';
import { BenchmarkVersion } from '@assay/tasks/benchmarks';
import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import type { BoardContent } from '../boards/board-content.js';
import { BoardMistakes } from '../boards/board-mistakes.js';
import { BoardRevisionRepository } from '../boards/board-revision.repository.js';
import type { PublishedBoard } from '../boards/leaderboard-view.js';
import { withDiverse } from './diverse-set.js';
import { previewLoop } from './loop-preview.js';
import { chooseLoop, type ExcludedModels, ruleOf } from './promotion.policy.js';
import { byRank, Promotion } from './promotion.js';

/**
 * Puts the models that the policy selects at this revision into the loop, and removes those that it
 * no longer selects. Past promotions keep their evidence. Emits `loop.changed` if anything changed.
 */
export async function promote(em: EntityManager, task: Task, revision: PublishedBoard): Promise<void> {
  const present = await em.find(Promotion, { task, until: null }, { populate: ['model'] });
  const incumbents = new Set(present.map((promotion) => promotion.model.id));
  const chosen = chooseLoop(revision, incumbents, await excludedModels(em, task));
  const now = new Date();

  const leaving = present.filter((promotion) => !chosen.some(({ model }) => model.id === promotion.model.id));
  for (const promotion of leaving) promotion.until = now;
  const coming = chosen.filter(({ model }) => !incumbents.has(model.id));
  for (const { model, evidence } of coming) {
    em.create(Promotion, { task, model: em.getReference(Model, model.id), evidence, since: now });
  }
  if (leaving.length + coming.length === 0) return;
  Outbox.add(em, 'loop.changed', { taskId: task.id });
  AuditLog.record(em, null, {
    action: 'loop.changed',
    subject: { kind: 'task', id: task.id, name: task.slug },
    from: { models: present.map(({ model }) => model.id) },
    to: { models: chosen.map(({ model }) => model.id), revision: revision.number },
  });
}

/**
 * Returns the models that the policy cannot select regardless of the board, by ID, each with the
 * reason as a sentence.
 */
export async function excludedModels(em: EntityManager, task: Pick<Task, 'id'>): Promise<ExcludedModels> {
  const models = await em.find(
    Model,
    { task: task.id, $or: [{ inLoop: false }, { withdrawn: true }, { liveDifference: { $ne: null } }] },
    { fields: ['inLoop', 'withdrawn', 'liveDifference'] },
  );
  return new Map(models.map((model) => [model.id, reasonToExclude(model)]));
}

function reasonToExclude({
  inLoop,
  withdrawn,
  liveDifference,
}: Pick<Model, 'inLoop' | 'withdrawn' | 'liveDifference'>): string {
  if (!inLoop || withdrawn || !liveDifference) return 'Its owner excluded it from the loop or withdrew it.';
  const { round, compared, different } = liveDifference;
  return `In round ${round} it answered people differently than in its evaluation: on ${different} of ${compared} examples.`;
}

/**
 * Returns whether a round holds the loop: it is open, or it is closing and has not reached the step
 * that promotes.
 */
export async function isLoopHeld(em: EntityManager, task: Pick<Task, 'id'>): Promise<boolean> {
  const holding = {
    $or: [{ state: 'open' as const }, { state: 'closing' as const, closingStep: { $ne: 'next' as const } }],
  };
  return (await em.count(Round, { task: task.id, ...holding })) > 0;
}

/**
 * Updates the loop to the newest board, unless a round holds it. Runs in its caller's transaction;
 * locks the task.
 */
export async function followPolicy(em: EntityManager, task: Pick<Task, 'id'>): Promise<void> {
  const locked = await lockTask(em, task);
  if (await isLoopHeld(em, locked)) return;
  const latest = await new BoardRevisionRepository(em).newestWhole(locked);
  if (latest) await promote(em, locked, latest);
}

@Injectable()
export class PromotionsService {
  constructor(
    private readonly em: EntityManager,
    private readonly mistakes: BoardMistakes,
  ) {}

  /**
   * Returns the models that `policy` would select on the newest board, and why. Changes nothing.
   * @param board a hypothetical content that replaces the current one
   * @throws DomainError `no_board_yet`
   */
  async preview(task: Task, policy: LoopPolicy, board?: BoardContent): Promise<LoopPreview> {
    const latest = await new BoardRevisionRepository(this.em).newestWhole(task);
    if (!latest) {
      const text = `"${task.slug}" has no board yet. The policy selects models after some are scored.`;
      throw new DomainError('conflict', 'no_board_yet', text);
    }
    const { number, benchmarkVersion, publishedAt, content } = latest;
    const benchmark = await this.em.findOneOrFail(BenchmarkVersion, { task, number: benchmarkVersion });
    const excluded = await excludedModels(this.em, task);
    const previewed = await withDiverse(
      this.em,
      this.mistakes,
      task,
      benchmark,
      { ...(board ?? content), loop: policy },
      excluded,
    );
    const present = await this.em.find(Promotion, { task, until: null });
    const revision = { number, benchmarkVersion, publishedAt, content: previewed };
    return {
      revision: number,
      rule: ruleOf(policy),
      held: await isLoopHeld(this.em, task),
      ...previewLoop(revision, {
        incumbents: new Set(present.map(({ model }) => model.id)),
        excluded,
      }),
    };
  }

  /** Returns the models in the loop, best first. */
  async loop(task: Task): Promise<LoopView> {
    const promotions = await this.em.find(Promotion, { task, until: null }, { populate: ['model'] });
    const ordered = promotions.toSorted(byRank);
    return {
      models: ordered.map(({ model, since, evidence }) => ({
        model: { id: model.id, name: model.name },
        since: since.toISOString(),
        evidence,
      })),
    };
  }
}
