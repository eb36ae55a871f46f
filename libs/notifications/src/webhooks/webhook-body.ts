import type { DeliveredKind } from '@assay/contracts/webhooks';

/** Returns the body of a delivery, in the format that Standard Webhooks recommends. */
export const bodyOf = (type: DeliveredKind, happened: Date, data: object): string =>
  JSON.stringify({ type, timestamp: happened.toISOString(), data });
