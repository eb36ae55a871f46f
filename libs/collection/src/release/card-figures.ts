import type { DataCard } from '@assay/contracts';
import type { Round } from '@assay/tasks';
import type { EntityManager } from '@mikro-orm/postgresql';

type Rate = DataCard['mer'];

/**
 * SQL for examples written here against a target model: those with a known `fooled`, which a
 * control arm does not have. Statistics of rounds count in the same way.
 */
const FACED = `source = 'written' and fooled is not null`;
const MER = `
  count(*) filter (where ${FACED} and fooled)::int as mer_part, count(*) filter (where ${FACED})::int as mer_of`;
const VMER = `
  count(*) filter (where ${FACED} and fooled and outcome = 'validated')::int as vmer_part,
  count(*) filter (where ${FACED} and outcome = 'validated')::int as vmer_of`;
const SUBMITTED = `annotation a where a.round_id = ? and not a.is_check and a.retracted_at is null`;

interface Rates {
  readonly mer_part: number;
  readonly mer_of: number;
  readonly vmer_part: number;
  readonly vmer_of: number;
}

const rate = (part: number, of: number): Rate => ({ value: of === 0 ? null : part / of, of });
export const merOf = ({ mer_part, mer_of }: Pick<Rates, 'mer_part' | 'mer_of'>): Rate => rate(mer_part, mer_of);
export const vmerOf = ({ vmer_part, vmer_of }: Pick<Rates, 'vmer_part' | 'vmer_of'>): Rate => rate(vmer_part, vmer_of);

interface Totals extends Rates {
  readonly submitted: number;
  readonly fooled: number;
  readonly attested: number;
  readonly by_owner: number;
  readonly removed: number;
  readonly annotators: number;
  readonly contexts: number;
  readonly retracted: number;
  readonly largest: number | null;
}

/** Counts in the database, because a round can have any number of annotations. */
export async function totals(em: EntityManager, round: Round): Promise<Totals> {
  const [found] = await em.execute<Totals[]>(
    `select count(*)::int as submitted, count(*) filter (where fooled)::int as fooled,
       count(*) filter (where source = 'attested')::int as attested,
       count(*) filter (where decided_by_owner)::int as by_owner,
       count(*) filter (where input = '{}')::int as removed,
       count(distinct pseudonym) filter (where source = 'written')::int as annotators,
       count(distinct context_id)::int as contexts, ${MER}, ${VMER},
       (select count(*)::int from annotation where round_id = ? and not is_check and retracted_at is not null) as retracted,
       (select max(n)::int from (select count(*) as n from ${SUBMITTED} and a.source = 'written' group by pseudonym) w) as largest
     from ${SUBMITTED}`,
    [round.id, round.id, round.id],
  );
  return found!;
}

export async function outcomes(em: EntityManager, round: Round): Promise<Record<string, number>> {
  const rows = await em.execute<{ outcome: string; n: number }[]>(
    `select outcome, count(*)::int as n from ${SUBMITTED} group by outcome order by outcome`,
    [round.id],
  );
  return Object.fromEntries(rows.map(({ outcome, n }) => [outcome, n]));
}

export async function splits(em: EntityManager, round: Round): Promise<DataCard['splits']> {
  return em.execute<DataCard['splits']>(
    `select split, count(*)::int as examples, count(*) filter (where fooled)::int as fooled,
       count(distinct context_id)::int as contexts
     from ${SUBMITTED} and split is not null group by split order by array_position(array['train','dev','test'], split::text)`,
    [round.id],
  );
}

interface ConditionFigures extends Rates {
  readonly condition: string;
  readonly examples: number;
  readonly annotators: number;
}

export async function conditionFigures(em: EntityManager, round: Round): Promise<ConditionFigures[]> {
  return em.execute<ConditionFigures[]>(
    `select condition, count(*)::int as examples, count(distinct pseudonym)::int as annotators, ${MER}, ${VMER}
     from ${SUBMITTED} and condition is not null group by condition`,
    [round.id],
  );
}

/** Returns the model error rate by ID of the first target model. */
export async function targetRates(em: EntityManager, round: Round): Promise<ReadonlyMap<string, Rate>> {
  const rows = await em.execute<(Rates & { target: string })[]>(
    `select target_id as target, ${MER} from ${SUBMITTED} and target_id is not null group by target_id`,
    [round.id],
  );
  return new Map(rows.map((row) => [row.target, merOf(row)]));
}

interface ValidationFigures {
  readonly validators: number;
  readonly validations: number;
  readonly agreeing: number;
}

/** Counts the validators' blind labels for submitted examples. */
export async function validationFigures(em: EntityManager, round: Round): Promise<ValidationFigures> {
  const [found] = await em.execute<ValidationFigures[]>(
    `select count(distinct v.pseudonym)::int as validators, count(*)::int as validations,
       count(*) filter (where v.label = a.author_label)::int as agreeing
     from validation v join annotation a on a.id = v.annotation_id
     where a.round_id = ? and not a.is_check and a.retracted_at is null and v.label is not null`,
    [round.id],
  );
  return found!;
}

/**
 * Counts by version the authors of the round who last agreed to it. Excludes authors who had the
 * link to their account removed.
 */
export async function agreedVersions(
  em: EntityManager,
  round: Round,
  column: 'consent_version' | 'licence_version',
): Promise<DataCard['consent']['agreed']> {
  return em.execute<DataCard['consent']['agreed']>(
    `select c.${column} as version, count(*)::int as people from consent c
     where c.task_id = ? and c.${column} is not null
       and c.user_id in (select a.annotator_id from ${SUBMITTED} and a.annotator_id is not null)
     group by c.${column} order by c.${column}`,
    [round.task.id, round.id],
  );
}
