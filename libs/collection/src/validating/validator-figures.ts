import type { ValidatorView } from '@assay/contracts/collection';
import { medianOf } from '@assay/scoring/metrics';
import type { Round } from '@assay/tasks';
import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import type { ComparedTask } from '../annotating/fooled-rule.js';
import { sameLabel } from './judged-labels.js';
import { type GivenValidation, ValidationRepository } from './validation.repository.js';

/** Computes the statistics of validators. */
@Injectable()
export class ValidatorFigures {
  constructor(private readonly em: EntityManager) {}

  /**
   * Returns for each validator of a round the agreement with the decisions and the accuracy on gold
   * checks. The most active validators come first.
   * @param round with its task loaded
   */
  async of(round: Round): Promise<ValidatorView[]> {
    const rows = await new ValidationRepository(this.em).ofRound(round.id);
    return Array.from(Map.groupBy(rows, ({ pseudonym }) => pseudonym))
      .map(([pseudonym, given]) => figuresOf(round.task.definition, pseudonym, given))
      .sort((one, other) => other.answered - one.answered);
  }
}

function figuresOf(task: ComparedTask, pseudonym: string, given: readonly GivenValidation[]): ValidatorView {
  const answered = given.filter(({ verdict }) => verdict !== null);
  const examples = given.filter(({ isCheck }) => !isCheck);
  const decided = answered.filter(({ isCheck, outcome }) => !isCheck && !['pending', 'undecided'].includes(outcome));
  const checks = given.filter(({ isCheck, label, verdict }) => isCheck && (label !== null || verdict !== null));
  const isRight = ({ label, rightNow }: GivenValidation) => label !== null && sameLabel(task, label, rightNow);
  return {
    pseudonym,
    handedOut: given.length,
    answered: answered.length,
    decided: decided.length,
    agreement: share(decided, (each) => agrees(task, each)),
    checks: checks.length,
    checkRate: share(checks, isRight),
    nonFooling: share(examples, ({ fooled }) => fooled !== true),
    medianSeconds: medianOf(answered.flatMap(({ seconds }) => (seconds === null ? [] : [seconds]))),
  };
}

/** Returns whether a validator's verdict agrees with the decision. */
function agrees(task: ComparedTask, { verdict, rightLabel, outcome, rightNow, authorLabel }: GivenValidation): boolean {
  switch (outcome) {
    case 'flagged':
      return verdict === 'flagged';
    case 'rejected':
      return verdict === 'incorrect';
    case 'validated': {
      const isAuthors = sameLabel(task, rightNow, authorLabel);
      if (isAuthors) return verdict === 'correct';
      return verdict === 'incorrect' && rightLabel !== null && sameLabel(task, rightLabel, rightNow);
    }
    case 'pending':
    case 'undecided':
      return false;
  }
}

const share = (all: readonly GivenValidation[], holds: (each: GivenValidation) => boolean): number | null =>
  all.length === 0 ? null : all.filter(holds).length / all.length;
