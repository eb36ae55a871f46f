import { slugOf } from '../yaml/definition-facts.js';

const TYPES: Readonly<Record<string, string>> = {
  jsonl: 'application/x-ndjson',
  ndjson: 'application/x-ndjson',
  csv: 'text/csv',
  json: 'application/json',
};

/** The extensions of dataset files, as the value of an `accept` attribute. */
export const DATASET_EXTENSIONS = Object.keys(TYPES)
  .map((extension) => `.${extension}`)
  .join(',');

/** Returns the media type of a dataset file by its extension. Defaults to JSON Lines. */
export const datasetType = (fileName: string): string =>
  TYPES[/\.([a-z]+)$/i.exec(fileName)?.[1]?.toLowerCase() ?? ''] ?? 'application/x-ndjson';

/** Suggests a dataset name from a file name. */
export const datasetName = (fileName: string): string => slugOf(fileName.replace(/\.[a-z]+$/i, ''));
