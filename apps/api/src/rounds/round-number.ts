import { DomainError } from '@assay/kernel';
import { z } from 'zod';

/** The number of a round in an address. What can't be one names nothing. */
export const RoundNumber = z
  .string()
  .transform((text) => {
    if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
    throw DomainError.notFound('round');
  })
  .pipe(z.number());
