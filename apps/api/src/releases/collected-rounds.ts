import { DomainError } from '@assay/kernel';
import { Round, type Task } from '@assay/tasks';
import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { z } from 'zod';

/** A round's number in an address. What can't be one names nothing. */
export const RoundNumber = z
  .string()
  .transform((text) => {
    if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
    throw DomainError.notFound('round');
  })
  .pipe(z.number());

@Injectable()
export class CollectedRounds {
  constructor(private readonly em: EntityManager) {}

  async get(task: Task, number: number): Promise<Round> {
    const round = await this.em.findOne(Round, { task, number });
    if (round) return round;
    throw DomainError.notFound('round');
  }
}
