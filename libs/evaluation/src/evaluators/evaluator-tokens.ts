import { randomBytes } from 'node:crypto';
import { hashOf } from '@assay/identity';
import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { EvaluatorRepository, type TokenHolder } from './evaluator.repository.js';

const PREFIX = 'assay_evaluator_';

/** Returns the secret of a new evaluator, which is shown only once. */
export const newEvaluatorToken = (): string => PREFIX + randomBytes(32).toString('base64url');

/** Returns whether a secret has the form of an evaluator's token. */
export const isEvaluatorToken = (secret: string): boolean => secret.startsWith(PREFIX);

/** Finds evaluators by their tokens. */
@Injectable()
export class EvaluatorTokens {
  constructor(private readonly em: EntityManager) {}

  /**
   * Returns the evaluator that has this token, also if it is removed: then the use of the token is recorded.
   * Null: no evaluator has it.
   */
  async holder(secret: string): Promise<TokenHolder | null> {
    if (!isEvaluatorToken(secret)) return null;
    const evaluators = new EvaluatorRepository(this.em.fork());
    const holder = await evaluators.holder(hashOf(secret));
    if (holder?.state === 'removed') await evaluators.recordUse(holder.id);
    return holder;
  }
}
