import type { RoundCounts, RoundModelView, RoundView } from '@assay/contracts';
import { DatasetVersion, publishedHash, Round, type Task } from '@assay/tasks';
import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { RoundModel } from './round-model.js';
import { RoundRelease } from './round-release.js';

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
      roundCounts(this.em, round.id),
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

/** SQL for an annotation that counts: answered, not retracted, and not a gold check. */
const STANDS = 'retracted_at is null and answered_at is not null and not is_check';

/**
 * Returns the progress of a round: the numbers of its contexts, annotators and examples, by
 * outcome.
 */
export async function roundCounts(em: EntityManager, roundId: string): Promise<RoundCounts> {
  const [counts] = await em.execute<RoundCounts[]>(
    `select
        (select count(*)::int from round_context where round_id = wanted.id) as contexts,
        (select count(*)::int from round_context where round_id = wanted.id and active) as "activeContexts",
        count(distinct pseudonym) filter (where ${STANDS})::int as annotators,
        count(*) filter (where ${STANDS})::int as examples,
        count(*) filter (where ${STANDS} and source = 'attested')::int as attested,
        count(*) filter (where ${STANDS} and fooled)::int as fooled,
        count(*) filter (where ${STANDS} and outcome = 'validated')::int as validated,
        count(*) filter (where ${STANDS} and outcome = 'validated' and fooled)::int as "validatedFooling",
        count(*) filter (where ${STANDS} and outcome = 'pending')::int as pending,
        count(*) filter (where ${STANDS} and outcome = 'rejected')::int as rejected,
        count(*) filter (where ${STANDS} and outcome = 'flagged')::int as flagged,
        count(*) filter (where ${STANDS} and outcome = 'undecided')::int as undecided,
        count(*) filter (where retracted_at is not null and not is_check)::int as retracted
      from (select ?::uuid as id) as wanted left join annotation on annotation.round_id = wanted.id
      group by wanted.id`,
    [roundId],
  );
  return counts!;
}
