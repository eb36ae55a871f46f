import { setImmediate } from 'node:timers/promises';
import type { TaskOutput } from '@assay/contracts';
import { type Agreement, intervalAlpha, inTurns, nominalAlpha, squadWords } from '@assay/scoring';
import type { Round } from '@assay/tasks';
import type { EntityManager } from '@mikro-orm/postgresql';

/** The agreement of a round's validators beyond chance, and what it is measured on. */
export interface RoundAgreement extends Agreement {
  /**
   * `labels`: the labels that validators gave blind. `verdicts`: for text outputs, because two
   * validators hardly ever write the same text.
   */
  readonly of: 'labels' | 'verdicts';
}

interface Rated {
  readonly labels: readonly (readonly string[] | null)[];
  readonly verdicts: readonly (string | null)[];
}

/**
 * Computes Krippendorff's alpha of a round. Nominal over the blind labels (spans by their words, as
 * the SQuAD script normalises them), interval for numbers, nominal over the verdicts for texts.
 * Excludes gold checks, retracted examples and owners' decisions.
 * @param round with its task loaded
 * @returns null if alpha is not defined for the answers so far
 */
export async function roundAgreement(em: EntityManager, round: Round): Promise<RoundAgreement | null> {
  const rated = await em.execute<Rated[]>(
    `select json_agg(v.label order by v.id) as labels, json_agg(v.verdict order by v.id) as verdicts
     from annotation a join validation v on v.annotation_id = a.id
     where a.round_id = ? and not a.is_check and a.retracted_at is null and not v.by_owner
     group by a.id having count(*) > 1 order by a.id`,
    [round.id],
  );
  const { output } = round.task.definition;
  const of = output.type === 'text' ? 'verdicts' : 'labels';
  const work =
    output.type === 'number'
      ? intervalAlpha(
          blindLabels(rated).map((unit) => unit.map((label) => Number(label[0]))),
          round.id,
        )
      : nominalAlpha(of === 'verdicts' ? verdicts(rated) : comparable(output, rated), round.id);
  const agreement = await inTurns(work, () => setImmediate());
  return agreement && { of, ...agreement };
}

const blindLabels = (rated: readonly Rated[]): (readonly string[])[][] =>
  rated.map(({ labels }) => labels.filter((label): label is readonly string[] => (label?.length ?? 0) > 0));

const verdicts = (rated: readonly Rated[]): string[][] =>
  rated.map((unit) => unit.verdicts.filter((verdict): verdict is string => verdict !== null));

const comparable = ({ type }: TaskOutput, rated: readonly Rated[]): string[][] =>
  blindLabels(rated).map((unit) => unit.map(([label]) => (type === 'span' ? squadWords(label!).join(' ') : label!)));
