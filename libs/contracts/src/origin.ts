import { z } from 'zod';

/** What a caller may name a request by, in the header `X-Request-Id`. */
export const REQUEST_ID = /^[\w-]{8,64}$/;

/** What a piece of work was asked for by: ids that travel with it from process to process. */
export const Origin = z.object({
  /** The request. */
  request: z.string().regex(REQUEST_ID).optional(),
  /** The span that asked, as in the W3C header `traceparent`; only where traces are taken. */
  traceparent: z
    .string()
    .regex(/^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/)
    .optional(),
});
export type Origin = z.infer<typeof Origin>;
