import { DomainError } from '@assay/kernel';
import { z } from 'zod';

/**
 * The number of a round in a path. A text that is no such number names nothing, so the error is
 * `not_found`.
 */
export const RoundNumber = z
  .string()
  .transform((text) => {
    if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
    throw DomainError.notFound('round');
  })
  .pipe(z.number());
