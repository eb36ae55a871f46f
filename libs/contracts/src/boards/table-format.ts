import { z } from 'zod';

export const TABLE_FORMATS = ['json', 'csv', 'latex'] as const;
export type TableFormat = (typeof TABLE_FORMATS)[number];

/** The query parameter of every endpoint that can also respond with a table. */
export const tableFormatQuery = {
  format: z
    .string()
    .transform((text, context): TableFormat => {
      const format = TABLE_FORMATS.find((each) => each === text);
      if (format) return format;
      const message = `"${text.slice(0, 80)}" is not one of the formats ${TABLE_FORMATS.join(', ')}`;
      context.addIssue({ code: 'custom', message, params: { code: 'unknown_format' } });
      return z.NEVER;
    })
    .optional()
    .meta({
      enum: TABLE_FORMATS,
      description: 'default: what the header Accept prefers (text/csv, application/x-latex), else json',
    }),
};
