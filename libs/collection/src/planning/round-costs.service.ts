import type { RoundCost, RoundCosts } from '@assay/contracts/planning';
import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import type { Round, Task } from '@assay/tasks';
import { type PaidExamples, PaidExamplesRepository } from './paid-examples.repository.js';

/** Computes what the examples of crowd workers have cost. The caller checks who may see it. */
@Injectable()
export class RoundCostsService {
  constructor(private readonly em: EntityManager) {}

  /** Returns the costs of a round. Examples of people who were not paid do not count. */
  async ofRound({ slug }: Pick<Task, 'slug'>, { id, number }: Pick<Round, 'id' | 'number'>): Promise<RoundCosts> {
    const paid = await new PaidExamplesRepository(this.em).ofRound(id);
    return { task: slug, round: number, items: paid.map(roundCost) };
  }
}

/** Returns the cost of an example, of a validated one, and of a validated one that fooled a model. */
export const roundCost = (paid: PaidExamples): RoundCost => ({
  ...paid,
  perExample: per(paid, paid.examples),
  perValidated: per(paid, paid.validated),
  perValidatedFooling: per(paid, paid.validatedFooling),
});

const per = ({ paid }: PaidExamples, examples: number): number | null => (examples === 0 ? null : paid / examples);
