// For: storing bytes: content-addressed blobs, resumable uploads, columnar predictions files.
// Knows: files, digests, full disks, interrupted uploads.
// Must not know: what the bytes mean, who may read or send them.
export { type Blob, BLOB_STORE, type BlobStore, type PutOptions, unlessRefused } from './blob-store.js';
export { LocalBlobStore } from './local-blob-store.js';
export { namelessFile } from './nameless-file.js';
export { OrphanMarks, type Removed } from './orphan-marks.js';
export { readPredictions } from './predictions-file/predictions-reader.js';
export { PredictionsWriter } from './predictions-file/predictions-writer.js';
export { answersAt, StoredAnswers } from './predictions-file/stored-answers.js';
export { probeRoom } from './probe-blobs.js';
export { readResamples, storeResamples, type Resamples } from './resamples-file.js';
export { tooLarge } from './storage-errors.js';
export { storedKey, storedSecret } from './stored-secret.js';
export { UploadServer, type CompletedUpload, type UploadTerms } from './upload-server.js';
