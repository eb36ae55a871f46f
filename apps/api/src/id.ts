import { DomainError } from '@assay/kernel';
import { z } from 'zod';

/** An id in an address. What can't be one names nothing, so it is not found rather than malformed. */
export const Id = z
  .string()
  .transform((text) => {
    if (z.guid().safeParse(text).success) return text;
    throw DomainError.notFound('such thing');
  })
  .pipe(z.string());
