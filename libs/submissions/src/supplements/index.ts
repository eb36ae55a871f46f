// For: files of predictions that are added to a model later.
export { Supplement, supplementBlobs, type SupplementState } from './supplement.js';
export { ownSpecification } from './own-specification.js';
