import { z } from 'zod';

/** The largest number of results of each kind in one response. */
export const MOST_FOUND = 8;

export const SearchQuery = z
  .strictObject({
    q: z.string().trim().min(1).max(100).meta({ description: 'part of a name, in small letters or capitals' }),
    limit: z.coerce
      .number()
      .int()
      .min(1)
      .max(MOST_FOUND)
      .default(MOST_FOUND)
      .meta({ description: 'of each kind, at most' }),
  })
  .meta({ id: 'SearchQuery' });
export type SearchQuery = z.infer<typeof SearchQuery>;

export const SearchResults = z
  .object({
    tasks: z
      .array(
        z.object({
          slug: z.string().meta({ description: 'short name of the task' }),
          name: z.string().meta({ description: 'for people' }),
        }),
      )
      .meta({ description: 'by name or short name' }),
    models: z
      .array(
        z.object({
          id: z.string().meta({ description: 'of the model' }),
          name: z.string().meta({ description: 'of the model' }),
          task: z.string().meta({ description: 'short name of the task' }),
          owner: z.string().meta({ description: 'username of the submitter' }),
        }),
      )
      .meta({ description: 'by name, of those that you may see' }),
    people: z
      .array(
        z.object({
          username: z.string().meta({ description: 'by which their page is found' }),
          displayName: z.string().nullable().meta({ description: 'the name that they chose; null: the username' }),
        }),
      )
      .meta({ description: 'by either name, if their profile is public' }),
  })
  .meta({ id: 'SearchResults', description: 'The best first: what is named so, then what begins so, then the rest.' });
export type SearchResults = z.infer<typeof SearchResults>;
