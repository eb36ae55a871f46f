// For: what a dataset gives away without the task: partial inputs, and words that go with a label.
export { ClusterColumn } from '../cluster-numbers.js';
export { documentWords } from './document-words.js';
export { labelWords, type LabelWord } from './label-words.js';
export { partialInputBaseline, type PartialInputBaseline } from './partial-input.js';
