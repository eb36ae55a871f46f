/** SQL for the digests of blobs that evaluations refer to, by kind. */
export const evaluationBlobs = {
  predictions: `select predictions as digest from evaluation where predictions is not null`,
  resamples: `select resamples as digest from evaluation where resamples is not null`,
} as const;
