// For: properties of a dataset besides the scores of models: what gives its labels away, and what differs between two datasets.
export { ClusterColumn } from '../cluster-numbers.js';
export { documentWords } from './document-words.js';
export { labelWords, type LabelWord } from './label-words.js';
export { partialInputBaseline, type PartialInputBaseline } from './partial-input.js';
export { separability } from './separability.js';
export { unseenShare, wordCounts, type WordCounts } from './word-counts.js';
