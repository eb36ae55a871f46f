import { setImmediate } from 'node:timers/promises';
import type { TaskOutput } from '@assay/contracts/tasks';
import { type Agreement, intervalAlpha, inTurns, nominalAlpha } from '@assay/scoring';
import { squadWords } from '@assay/scoring/metrics';
import type { Round } from '@assay/tasks';
import type { EntityManager } from '@mikro-orm/postgresql';
import { type RatedExample, ValidationRepository } from './validation.repository.js';

/** The agreement of a round's validators beyond chance, and what it is measured on. */
export interface RoundAgreement extends Agreement {
  /**
   * `labels`: the labels that validators gave blind. `verdicts`: for text outputs, because two
   * validators hardly ever write the same text.
   */
  readonly of: 'labels' | 'verdicts';
}

/**
 * Computes Krippendorff's alpha of a round. Nominal over the blind labels (spans by their words, as
 * the SQuAD script normalises them), interval for numbers, nominal over the verdicts for texts.
 * Excludes gold checks, retracted examples and owners' decisions.
 * @param round with its task loaded
 * @returns null if alpha is not defined for the answers so far
 */
export async function roundAgreement(em: EntityManager, round: Round): Promise<RoundAgreement | null> {
  const rated = await new ValidationRepository(em).rated(round.id);
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

const blindLabels = (rated: readonly RatedExample[]): (readonly string[])[][] =>
  rated.map(({ labels }) => labels.filter((label): label is readonly string[] => (label?.length ?? 0) > 0));

const verdicts = (rated: readonly RatedExample[]): string[][] =>
  rated.map((unit) => unit.verdicts.filter((verdict): verdict is string => verdict !== null));

const comparable = ({ type }: TaskOutput, rated: readonly RatedExample[]): string[][] =>
  blindLabels(rated).map((unit) => unit.map(([label]) => (type === 'span' ? squadWords(label!).join(' ') : label!)));
