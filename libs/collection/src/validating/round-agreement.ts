import { setImmediate } from 'node:timers/promises';
import type { TaskDefinition } from '@assay/contracts/tasks';
import { type Agreement, intervalAlpha, inTurns, nominalAlpha, setAlpha, type Work } from '@assay/scoring';
import { answerWords } from '@assay/scoring/language';
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
 * Computes Krippendorff's alpha of a round. The distance of two blind labels is MASI between their
 * sets of acceptable answers: the labels of several, one label, or spans by their words as SQuAD
 * exact match compares them. For numbers it is the squared difference. For texts, alpha is nominal over
 * the verdicts. Excludes gold checks, retracted examples and owners' decisions.
 * @param round with its task loaded
 * @returns null if alpha is not defined for the answers so far
 */
export async function roundAgreement(em: EntityManager, round: Round): Promise<RoundAgreement | null> {
  const rated = await new ValidationRepository(em).rated(round.id);
  const { definition } = round.task;
  const { output } = definition;
  const of = output.type === 'text' ? 'verdicts' : 'labels';
  const agreement = await inTurns(alphaOf(definition, rated, round.id), () => setImmediate());
  return agreement && { of, ...agreement };
}

function alphaOf(definition: TaskDefinition, rated: readonly RatedExample[], seed: string): Work<Agreement | null> {
  switch (definition.output.type) {
    case 'text':
      return nominalAlpha(verdicts(rated), seed);
    case 'number':
      return intervalAlpha(
        blindLabels(rated).map((unit) => unit.map(([number]) => Number(number))),
        seed,
      );
    case 'label':
    case 'labels':
    case 'span':
      return setAlpha(
        blindLabels(rated).map((unit) => unit.map((label) => acceptableAnswers(definition, label))),
        seed,
      );
  }
}

const blindLabels = (rated: readonly RatedExample[]): (readonly string[])[][] =>
  rated.map(({ labels }) => labels.filter((label): label is readonly string[] => (label?.length ?? 0) > 0));

const verdicts = (rated: readonly RatedExample[]): string[][] =>
  rated.map((unit) => unit.verdicts.filter((verdict): verdict is string => verdict !== null));

/** Returns everything that a validator accepts: each label of several, or each answer. */
function acceptableAnswers(definition: TaskDefinition, label: readonly string[]): ReadonlySet<string> {
  switch (definition.output.type) {
    case 'labels':
      return new Set(label.flatMap((list) => JSON.parse(list) as string[]));
    case 'span':
      return new Set(label.map((span) => answerWords(span, definition).join(' ')));
    default:
      return new Set(label);
  }
}
