import type { ExampleFate, MyExamples } from '@assay/contracts/people';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { Annotation } from '../annotating/annotation.js';
import { takesValidations } from '../validating/validated-rounds.js';
import { ValidationRepository } from '../validating/validation.repository.js';
import { Appeal } from './appeal.js';

type ExampleView = MyExamples['items'][number];

const NO_VERDICTS = { verdicts: { correct: 0, incorrect: 0, flagged: 0 }, reasons: [] };

/**
 * Returns annotations as their author and the owner of the task see them: with the verdicts of
 * validators, but without the names of validators.
 */
export async function exampleViews(
  em: EntityManager,
  annotations: readonly Annotation[],
  now = new Date(),
): Promise<ExampleView[]> {
  const ids = annotations.map(({ id }) => id);
  const verdicts = await new ValidationRepository(em).verdicts(ids);
  const appeals = await em.find(Appeal, { annotation: { $in: ids } }, { populate: ['annotation'] });
  return annotations.map((annotation) => {
    const appeal = appeals.find((each) => each.annotation.id === annotation.id) ?? null;
    return {
      ...factsOf(annotation),
      ...(verdicts.get(annotation.id) ?? NO_VERDICTS),
      appeal: appeal && appealView(appeal),
      mayAppeal: !appeal && isAppealable(annotation, now),
    };
  });
}

/**
 * Returns whether the author may appeal: validators or the owner decided otherwise than the author
 * meant, and the round still takes validations.
 */
export function isAppealable(annotation: Annotation, now: Date): boolean {
  const { outcome, retractedAt, round } = annotation;
  if (retractedAt || !takesValidations(round, now) || outcome === 'pending') return false;
  return outcome !== 'validated' || isRelabelled(annotation);
}

export const appealView = (appeal: Appeal): ExampleView['appeal'] & object => ({
  reason: appeal.reason,
  at: appeal.createdAt.toISOString(),
  answeredAt: appeal.answeredAt()?.toISOString() ?? null,
});

const isRelabelled = ({ authorLabel, label }: Annotation): boolean =>
  JSON.stringify(authorLabel) !== JSON.stringify(label);

const factsOf = (annotation: Annotation) => ({
  id: annotation.id,
  task: annotation.round.task.slug,
  round: annotation.round.number,
  input: { ...annotation.input },
  authorLabel: [...annotation.authorLabel],
  label: [...annotation.label],
  fooled: annotation.fooled ?? null,
  fate: fateOf(annotation),
  decidedByOwner: annotation.decidedByOwner,
  createdAt: annotation.createdAt.toISOString(),
  decidedAt: annotation.decidedAt?.toISOString() ?? null,
});

const fateOf = ({ retractedAt, outcome }: Annotation): ExampleFate => (retractedAt ? 'retracted' : outcome);
