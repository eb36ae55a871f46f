import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { tarOf } from './submitted-images.js';

const FILES = ['model.onnx', 'tokenizer.json', 'tokenizer_config.json', 'config.json'] as const;

/** The export in `folder`, as a tar of it. @param without a file that is left out */
export function bundleOf(folder: string, without?: (typeof FILES)[number]): Promise<Buffer> {
  const names = FILES.filter((name) => name !== without);
  return tarOf(names.map((name) => ({ name: `export/${name}`, content: readFileSync(join(folder, name)) })));
}
