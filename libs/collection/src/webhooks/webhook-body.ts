import type { DeliveredKind } from '@assay/contracts';

/** What is posted, in the form that Standard Webhooks recommends. */
export const bodyOf = (type: DeliveredKind, happened: Date, data: object): string =>
  JSON.stringify({ type, timestamp: happened.toISOString(), data });
