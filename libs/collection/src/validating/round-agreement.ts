import { setImmediate } from 'node:timers/promises';
import type { TaskOutput } from '@assay/contracts';
import { type Agreement, intervalAlpha, inTurns, nominalAlpha, squadWords } from '@assay/scoring';
import type { Round } from '@assay/tasks';
import type { EntityManager } from '@mikro-orm/postgresql';

/** How far validators of a round agree beyond chance, and on what. */
export interface RoundAgreement extends Agreement {
  /** `labels`: what they answered blind; `verdicts`: of a free text, which hardly any two write alike. */
  readonly of: 'labels' | 'verdicts';
}

interface Rated {
  readonly labels: readonly (readonly string[] | null)[];
  readonly verdicts: readonly (string | null)[];
}

/**
 * Krippendorff's alpha of a round: nominal over blind labels (of a span its words, as the SQuAD script compares them), interval for numbers, over
 * verdicts for texts. Checks, retracted examples and owners' own decisions are no part of it. Null where nothing can be told.
 * @param round its task is loaded
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
