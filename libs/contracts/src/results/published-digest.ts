import { z } from 'zod';

/**
 * The public identification of a dataset version's bytes. A plain sha256 would let anyone test
 * guesses of gold that they may not read.
 */
export const PUBLISHED_DIGEST = {
  digest: z
    .string()
    .describe(
      'sha256 of the bytes as they were put. While the data is not public, a salted commitment instead: `sha256-salted:` and sha256(salt ‖ bytes)',
    ),
  plainDigest: z.string().optional().describe('once the data is public: `sha256:` and the sha256'),
  commitment: z
    .string()
    .optional()
    .describe('once the data is public: the digest that stood for it before, `sha256-salted:…`'),
  salt: z.string().optional().describe('once the data is public: the salt of the commitment, in hexadecimal'),
} as const;

export interface PublishedDigest {
  readonly digest: string;
  readonly plainDigest?: string | undefined;
  readonly commitment?: string | undefined;
  readonly salt?: string | undefined;
}
