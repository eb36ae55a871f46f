import { DomainError } from '@assay/kernel';
import { z } from 'zod';

/**
 * An ID in a path. A text that is no ID names nothing, so the error is `not_found` and not a
 * validation error.
 */
export const Id = z
  .string()
  .transform((text) => {
    if (z.guid().safeParse(text).success) return text;
    throw DomainError.notFound('resource');
  })
  .pipe(z.string());
