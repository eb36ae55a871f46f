// For: storing bytes: content-addressed blobs, resumable uploads, columnar predictions files.
// Knows: files, digests, full disks, interrupted uploads.
// Must not know: what the bytes mean, who may read or send them.
export { BLOB_STORE, type Blob, type BlobStore, type PutOptions, type Range } from './blob-store.js';
export { LocalBlobStore } from './local-blob-store.js';
export { tooLarge } from './storage-errors.js';
export {
  UploadServer,
  type CompletedUpload,
  type UploadProblem,
  type UploadServerOptions,
  type UploadTerms,
} from './upload-server.js';
export {
  PREDICTIONS_MEDIA_TYPE,
  PredictionsWriter,
  type PredictionsWriterOptions,
} from './predictions-file/predictions-writer.js';
export {
  readPredictions,
  readPredictionsShape,
  type PredictionsBatch,
  type PredictionsShape,
} from './predictions-file/predictions-reader.js';
export { answersAt, StoredAnswers } from './predictions-file/stored-answers.js';
export { decodeResamples, encodeResamples, readResamples, storeResamples, type Resamples } from './resamples-file.js';
export { namelessFile, type NamelessFile } from './nameless-file.js';
export { keptSecret } from './kept-secret.js';
export { OrphanMarks, type Removed } from './orphan-marks.js';
export { unlessRefused } from './unless-refused.js';
export { probeRoom } from './probe-blobs.js';
