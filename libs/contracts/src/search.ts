import { z } from 'zod';
import { namedStrictObject } from './named-object.js';

/** The largest number of results of each kind in one response. */
export const MOST_FOUND = 8;

export const SearchQuery = namedStrictObject('SearchQuery', {
  q: z.string().trim().min(1).max(100).describe('part of a name, in small letters or capitals'),
  limit: z.coerce.number().int().min(1).max(MOST_FOUND).default(MOST_FOUND).describe('of each kind, at most'),
});
export type SearchQuery = z.infer<typeof SearchQuery>;

export const SearchResults = z
  .object({
    tasks: z
      .array(
        z.object({
          slug: z.string().describe('short name of the task'),
          name: z.string().describe('for people'),
        }),
      )
      .describe('by name or short name'),
    models: z
      .array(
        z.object({
          id: z.string().describe('of the model'),
          name: z.string().describe('of the model'),
          task: z.string().describe('short name of the task'),
          owner: z.string().describe('username of the submitter'),
        }),
      )
      .describe('by name, of those that you may see'),
    people: z
      .array(
        z.object({
          username: z.string().describe('by which their page is found'),
          displayName: z.string().nullable().describe('the name that they chose; null: the username'),
        }),
      )
      .describe('by either name, if their profile is public'),
  })
  .meta({ id: 'SearchResults', description: 'The best first: what is named so, then what begins so, then the rest.' });
export type SearchResults = z.infer<typeof SearchResults>;
