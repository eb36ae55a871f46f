import type { LoopView } from '@assay/contracts';
import { Model } from '@assay/submissions';
import type { Task } from '@assay/tasks';
import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import type { BoardRevision } from './board-revision.js';
import { chooseLoop } from './promotion.policy.js';
import { Promotion } from './promotion.js';

/** Puts in the loop whom the policy names at this revision, and takes out who has to leave; the reasons stay. */
export async function promote(em: EntityManager, task: Task, revision: BoardRevision): Promise<void> {
  const present = await em.find(Promotion, { task, until: null }, { populate: ['model'] });
  const chosen = chooseLoop(revision, new Set(present.map((promotion) => promotion.model.id)));

  for (const promotion of present) {
    if (!chosen.some(({ model }) => model.id === promotion.model.id)) promotion.until = revision.publishedAt;
  }
  for (const { model, evidence } of chosen) {
    if (present.some((promotion) => promotion.model.id === model.id)) continue;
    em.create(Promotion, { task, model: em.getReference(Model, model.id), evidence, since: revision.publishedAt });
  }
}

@Injectable()
export class PromotionsService {
  constructor(private readonly em: EntityManager) {}

  /** The models in the loop now, the best first. */
  async loop(task: Task): Promise<LoopView> {
    const promotions = await this.em.find(Promotion, { task, until: null }, { populate: ['model'] });
    const ordered = promotions.toSorted((a, b) => a.evidence.rank - b.evidence.rank);
    return {
      models: ordered.map(({ model, since, evidence }) => ({
        model: { id: model.id, name: model.name },
        since: since.toISOString(),
        evidence,
      })),
    };
  }
}
