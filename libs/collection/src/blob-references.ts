/** SQL for the digests of blobs that releases of rounds refer to. */
export const collectionBlobs = { releases: `select content as digest from round_release` } as const;
