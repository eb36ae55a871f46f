import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readOnnxModel } from './onnx-model.js';
import { model } from '../../../../test/factories/models/onnx-model-parts.js';

describe('readOnnxModel', () => {
  let folder: string;
  let path: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'onnx-model-'));
    path = join(folder, 'model.onnx');
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const read = () => readOnnxModel(path, new Map());

  it('reads no file that is larger than a message can be', () => {
    writeFileSync(path, model());
    truncateSync(path, 2 ** 31);
    expect(read).toThrow('model.onnx has 2147483648 bytes; the limit is 2147483647. Store its weights as');

    truncateSync(path, 2 ** 31 - 1);
    // what follows is no field
    expect(read).toThrow('model.onnx is not an ONNX model: at byte');
  });

  it('reads four million fields, and no more', () => {
    // the field model_version, which may repeat
    const fields = Buffer.alloc(2 * 4_000_001, Buffer.from([0x28, 0x07]));
    writeFileSync(path, fields);
    expect(read).toThrow('model.onnx has more than 4000000 fields.');

    writeFileSync(path, fields.subarray(2));
    expect(read).toThrow('it has no graph');
  });
});
