import { describe, expect, it } from '@jest/globals';
import { datasetName, datasetType } from './dataset-upload.js';

describe('the file of a dataset', () => {
  it.each([
    ['test.jsonl', 'application/x-ndjson'],
    ['Test.CSV', 'text/csv'],
    ['dev-v2.0.json', 'application/json'],
    ['noname', 'application/x-ndjson'],
  ])('%s is read as %s', (name, type) => expect(datasetType(name)).toBe(type));

  it.each([
    ['ANLI R3_dev.jsonl', 'anli-r3-dev'],
    ['dev-v2.0.json', 'dev-v2-0'],
  ])('%s suggests the name %s', (file, name) => expect(datasetName(file)).toBe(name));
});
