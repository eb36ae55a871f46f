import type { BoardStanding } from '@assay/leaderboard/summaries';
import { preparedRows, Repository } from '@assay/persistence/queries';
import type { PartOfList } from '@assay/kernel';

/** A task of the overview. */
export interface OverviewRow {
  readonly id: string;
  readonly slug: string;
  readonly name: string;
  readonly description: string | null;
  /** The ID of the owner. */
  readonly owner: string;
  readonly rounds: number;
  readonly openRound: number | null;
  /** Examples written here or imported, and those of rounds that came as files. */
  readonly examples: number;
  /** The number of examples written against a model. */
  readonly faced: number;
  /** The number of those that fooled the model and were validated. */
  readonly validatedFooling: number;
  /** The number of those that are pending. */
  readonly pending: number;
  /** The ID of the newest board revision; null if there is none. */
  readonly revision: string | null;
  /** True if the standings are those of the newest revision. */
  readonly isSummarised: boolean;
  readonly disclosed: BoardStanding | null;
  readonly exact: BoardStanding | null;
}

/** The figures of tasks in the overview. */
export class OverviewRepository extends Repository {
  /** Returns the tasks after `after`, the oldest first. */
  tasks({ most, after }: PartOfList): Promise<OverviewRow[]> {
    return preparedRows<OverviewRow>(this.em, STATEMENT, [most, after]);
  }
}

const STATEMENT = `
with page as (
  select t.id, t.slug, t.owner_id, t.definition ->> 'name' as name, t.definition ->> 'description' as description, t.created_at
  from task t
  where $2::uuid is null or (t.created_at, t.id) > (select created_at, id from task where id = $2::uuid)
  order by t.created_at, t.id limit $1::int
), collected as (
  select r.task_id, sum(c.examples)::int as examples, sum(c.faced) filter (where c.source = 'written')::int as faced,
    sum(c.validated_fooling) filter (where c.source = 'written')::int as validated_fooling,
    sum(c.faced_pending) filter (where c.source = 'written')::int as pending
  from page join round r on r.task_id = page.id join annotator_count c on c.round_id = r.id group by r.task_id
), imported as (
  select d.task_id, sum(v.examples)::int as examples
  from page join dataset d on d.task_id = page.id and d.role = 'round' and d.perturbation is null
    join round r on r.task_id = d.task_id and r.number = d.round and r.imported
    join lateral (select examples from dataset_version where dataset_id = d.id order by number desc limit 1) v on true
  group by d.task_id
)
select page.id, page.slug, page.name, page.description, page.owner_id as owner,
  rounds.count as rounds, rounds.open as "openRound",
  coalesce(collected.examples, 0) + coalesce(imported.examples, 0) as examples,
  coalesce(collected.faced, 0) as faced, coalesce(collected.validated_fooling, 0) as "validatedFooling",
  coalesce(collected.pending, 0) as pending,
  newest.id as revision, newest.number is not distinct from summary.revision as "isSummarised", summary.disclosed, summary.exact
from page
  cross join lateral (
    select count(*)::int as count, min(number) filter (where state = 'open') as open from round where task_id = page.id
  ) rounds
  left join collected on collected.task_id = page.id
  left join imported on imported.task_id = page.id
  left join lateral (
    select id, number from board_revision where task_id = page.id order by number desc limit 1
  ) newest on true
  left join board_summary summary on summary.task_id = page.id
order by page.created_at, page.id`;
