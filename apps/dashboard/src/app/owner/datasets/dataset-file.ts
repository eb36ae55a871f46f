import { slugOf } from '../yaml/definition-facts.js';

const TYPES: Readonly<Record<string, string>> = {
  jsonl: 'application/x-ndjson',
  ndjson: 'application/x-ndjson',
  csv: 'text/csv',
  json: 'application/json',
};

/** Extensions of files that a dataset can come in. */
export const DATASET_EXTENSIONS = Object.keys(TYPES)
  .map((extension) => `.${extension}`)
  .join(',');

/** The media type by which the service reads a file, told by its name: JSON Lines unless it says otherwise. */
export const datasetType = (fileName: string): string =>
  TYPES[/\.([a-z]+)$/i.exec(fileName)?.[1]?.toLowerCase() ?? ''] ?? 'application/x-ndjson';

/** A name of a dataset that the name of its file suggests. */
export const datasetName = (fileName: string): string => slugOf(fileName.replace(/\.[a-z]+$/i, ''));
