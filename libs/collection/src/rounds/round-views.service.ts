import type { RoundModelView, RoundView } from '@assay/contracts/rounds';
import { Round, type Task } from '@assay/tasks';
import { DatasetVersion, publishedHash } from '@assay/tasks/datasets';
import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { RoundModel } from './round-model.js';
import { RoundRelease } from './round-release.js';
import { RoundRepository } from './round.repository.js';

/** Makes the API views of rounds. */
@Injectable()
export class RoundViews {
  constructor(private readonly em: EntityManager) {}

  /** Returns all rounds of a task, the oldest first. */
  async list(task: Task): Promise<Round[]> {
    return this.em.find(Round, { task }, { populate: ['task'], orderBy: { number: 'asc' } });
  }

  async view(round: Round): Promise<RoundView> {
    const [models, releases, counts] = await Promise.all([
      this.em.find(RoundModel, { round }, { populate: ['model'], orderBy: { since: 'asc', id: 'asc' } }),
      this.releases(round),
      new RoundRepository(this.em).counts(round.id),
    ]);
    return {
      id: round.id,
      task: round.task.slug,
      number: round.number,
      state: round.state,
      imported: round.imported,
      description: round.description,
      turn: round.settings?.turn ?? null,
      conditions: [...(round.settings?.conditions ?? [])],
      shares: round.settings?.shares ?? null,
      openedAt: round.openedAt?.toISOString() ?? null,
      closedAt: round.closedAt?.toISOString() ?? null,
      closedBy: round.closedBy ?? null,
      closingStep: round.closingStep ?? null,
      pendingUntil: round.pendingUntil?.toISOString() ?? null,
      models: models.map(modelView),
      counts,
      benchmarkVersion: round.benchmarkVersion ?? null,
      releases,
    };
  }

  private async releases(round: Round): Promise<RoundView['releases']> {
    const releases = await this.em.find(RoundRelease, { round }, { orderBy: { id: 'asc' } });
    const names = releases.flatMap(({ dataset }) => dataset ?? []);
    const versions = await this.em.find(
      DatasetVersion,
      { dataset: { task: round.task, name: { $in: names } }, content: { $in: releases.map(({ content }) => content) } },
      { populate: ['dataset'] },
    );
    return releases.map(({ part, dataset: name, examples, content }) => {
      const version = versions.find(({ dataset, content: own }) => dataset.name === name && own === content);
      const digest = version ? publishedHash(version, version.dataset.visibility, content) : content;
      return { part, dataset: name ?? null, examples, digest };
    });
  }
}

const modelView = ({ model, reason, evidence, since, until, left }: RoundModel): RoundModelView => ({
  model: { id: model.id, name: model.name },
  reason,
  evidence: evidence ?? null,
  since: since.toISOString(),
  until: until?.toISOString() ?? null,
  left: left ?? null,
});
