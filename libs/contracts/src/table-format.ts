import { z } from 'zod';

export const TABLE_FORMATS = ['json', 'csv', 'latex'] as const;
export type TableFormat = (typeof TABLE_FORMATS)[number];

/** A key of every query whose answer is also to be had as a table. */
export const tableFormatQuery = {
  format: z
    .enum(TABLE_FORMATS)
    .optional()
    .meta({ description: 'default: what the header Accept prefers (text/csv, application/x-latex), else json' }),
};
