/** The channel that tells workers to look at a run again: it was cancelled, or failed by the reconciler. The payload is its id. */
export const RUN_CHANNEL = 'assay_run';
