import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { model } from './onnx-model-parts.js';
import { tarOf } from './submitted-images.js';

const FILES = ['model.onnx', 'tokenizer.json', 'tokenizer_config.json', 'config.json'] as const;

/**
 * Returns a tar of the ONNX export in `folder`.
 * @param without A file to leave out.
 */
export function bundleOf(folder: string, without?: (typeof FILES)[number]): Promise<Buffer> {
  const names = FILES.filter((name) => name !== without);
  return tarOf(names.map((name) => ({ name: `export/${name}`, content: readFileSync(join(folder, name)) })));
}

/**
 * Returns a bundle that passes admission but that no runtime can load.
 * @param name A different name gives different bytes.
 */
export function unloadableBundle(name: string): Promise<Buffer> {
  const settings = { model_max_length: 128, name_or_path: name };
  const contents: Record<(typeof FILES)[number], string | Buffer> = {
    'model.onnx': model(),
    'tokenizer.json': '{"version": "1.0", "model": {"type": "WordLevel", "vocab": {"[UNK]": 0}}}',
    'tokenizer_config.json': JSON.stringify(settings),
    'config.json': '{"id2label": {"0": "even", "1": "odd"}}',
  };
  return tarOf(FILES.map((file) => ({ name: `export/${file}`, content: contents[file] })));
}

export { model as onnxModel };
