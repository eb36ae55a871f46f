import { z } from 'zod';

/** The key that signed results when a score was computed, if that key has been retired since. */
export const RetiredKeyMark = z
  .object({
    keyId: z.string().describe('of the key that signed results when this was scored'),
    retiredAt: z.iso.datetime().describe('since when that key signs no more'),
  })
  .describe('of a score from before the signing key was replaced: the earlier key');
export type RetiredKeyMark = z.infer<typeof RetiredKeyMark>;
