// For: signed results of models: their content, and the public keys that verify them.
export { ResultBundles } from './result-bundles.js';
export { SIGNED_RESULT_CHANNEL, SignedResult } from './signed-result.js';
export {
  type PublishedKey,
  publishSigningKeys,
  type RetiredKeyAt,
  retiredKeys,
  SigningKey,
  signingKeyView,
} from './signing-key.js';
