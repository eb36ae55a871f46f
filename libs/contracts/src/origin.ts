import { z } from 'zod';

/** The form of a request id that a caller may send in the header `X-Request-Id`. */
export const REQUEST_ID = /^[\w-]{8,64}$/;

/** The request that caused a unit of work: ids that are passed from process to process. */
export const Origin = z.object({
  /** Id of the request. */
  request: z.string().regex(REQUEST_ID).optional(),
  /**
   * The span that caused the work, in the form of the W3C header `traceparent`. Present only if
   * traces are recorded.
   */
  traceparent: z
    .string()
    .regex(/^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/)
    .optional(),
});
export type Origin = z.infer<typeof Origin>;
