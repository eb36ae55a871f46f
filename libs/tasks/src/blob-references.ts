/** SQL for the digests of blobs that datasets refer to. */
export const tasksBlobs = { datasets: `select content as digest from dataset_version` } as const;
