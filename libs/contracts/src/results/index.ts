// For: signed results and published digests.
export { PUBLISHED_DIGEST, type PublishedDigest } from './published-digest.js';
export { ResultBundle, Signature, signedBytes, SignedResult, SigningKeyView } from './result-bundle.js';
export { RetiredKeyMark } from './retired-key.js';
