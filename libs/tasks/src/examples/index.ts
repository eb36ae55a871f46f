// For: the lines of a dataset: parsing, inputs, gold answers, names.
export { badLine, type DatasetFormat, recordsOf, UPLOADED_LINE, WRITTEN_LINE } from './dataset-records.js';
export { type DatasetRow, datasetRows, datasetRowsAt, DatasetUnreadable, spansOf } from './dataset-rows.js';
export { clusteredRows } from './identical-inputs.js';
export { inputLines, inputsOf, readExample, readGold, wrongInput } from './example.js';
export { parseBounded } from './json-shape.js';
export { lineGroups, LineTooLong } from './line-groups.js';
export { examplesTitle, type NamedExamples, namedExamples, perturbedName } from './named-examples.js';
