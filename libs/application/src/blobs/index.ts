// For: the blobs that the database refers to.
export { ALL_BLOB_REFERENCES, blobReferences, kindsOfBlobs, referencedBlobs } from './blob-references.js';
