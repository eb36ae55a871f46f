import type { RoundList, RoundModelView, RoundView } from '@assay/contracts/rounds';
import { DomainError, firstPage } from '@assay/kernel';
import { Round, type Task } from '@assay/tasks';
import { DatasetVersion, publishedHash } from '@assay/tasks/datasets';
import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { RoundModel } from './round-model.js';
import { RoundRelease } from './round-release.js';
import { RoundRepository } from './round.repository.js';

/** Makes the API views of rounds. */
@Injectable()
export class RoundViews {
  constructor(private readonly em: EntityManager) {}

  /**
   * Returns the rounds of a task, the oldest first.
   * @param page its cursor is the ID of the last round of the page before
   * @throws DomainError `unknown_cursor`
   */
  async list(task: Task, page: { readonly limit: number; readonly cursor?: string | undefined }): Promise<RoundList> {
    const where = {
      task,
      ...(page.cursor !== undefined && { number: { $gt: await this.numberOf(task, page.cursor) } }),
    };
    const order = { populate: ['task'], orderBy: { number: 'asc' }, limit: page.limit + 1 } as const;
    const { items, ...next } = firstPage(await this.em.find(Round, where, order), page, ({ id }) => id);
    return { items: await this.views(items), ...next };
  }

  async view(round: Round): Promise<RoundView> {
    const [view] = await this.views([round]);
    return view!;
  }

  private async views(rounds: readonly Round[]): Promise<RoundView[]> {
    const ids = rounds.map(({ id }) => id);
    const inRounds = { round: { $in: ids } };
    const [models, releases, counts] = await Promise.all([
      this.em.find(RoundModel, inRounds, { populate: ['model'], orderBy: { since: 'asc', id: 'asc' } }),
      this.em.find(RoundRelease, inRounds, { orderBy: { id: 'asc' } }),
      new RoundRepository(this.em).countsOf(ids),
    ]);
    const modelsOf = Map.groupBy(models, ({ round }) => round.id);
    const releasesOf = Map.groupBy(releases, ({ round }) => round.id);
    const versions = await this.versionsOf(releases);
    return rounds.map((round) => ({
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
      models: (modelsOf.get(round.id) ?? []).map(modelView),
      counts: counts.get(round.id)!,
      benchmarkVersion: round.benchmarkVersion ?? null,
      releases: (releasesOf.get(round.id) ?? []).map((release) =>
        releaseView(
          release,
          versions.find(
            ({ dataset, content }) =>
              dataset.task.id === round.task.id && dataset.name === release.dataset && content === release.content,
          ),
        ),
      ),
    }));
  }

  private async numberOf(task: Task, cursor: string): Promise<number> {
    const round = z.guid().safeParse(cursor).success ? await this.em.findOne(Round, { task, id: cursor }) : null;
    if (round) return round.number;
    throw new DomainError('invalid', 'unknown_cursor', 'Invalid cursor. Repeat the request without `cursor`.');
  }

  /** Returns the dataset versions that rounds became. */
  private versionsOf(releases: readonly RoundRelease[]): Promise<DatasetVersion[]> {
    const names = releases.flatMap(({ dataset }) => dataset ?? []);
    const where = { dataset: { name: { $in: names } }, content: { $in: releases.map(({ content }) => content) } };
    return this.em.find(DatasetVersion, where, { populate: ['dataset'] });
  }
}

function releaseView(
  { part, dataset: name, examples, content }: RoundRelease,
  version: DatasetVersion | undefined,
): RoundView['releases'][number] {
  const digest = version ? publishedHash(version, version.dataset.visibility, content) : content;
  return { part, dataset: name ?? null, examples, digest };
}

const modelView = ({ model, reason, evidence, since, until, left }: RoundModel): RoundModelView => ({
  model: { id: model.id, name: model.name },
  reason,
  evidence: evidence ?? null,
  since: since.toISOString(),
  until: until?.toISOString() ?? null,
  left: left ?? null,
});
