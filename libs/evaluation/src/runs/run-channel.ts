/**
 * The channel that notifies workers to check a run, because it was cancelled or because the
 * reconciler failed it. The payload is the run ID.
 */
export const RUN_CHANNEL = 'assay_run';
