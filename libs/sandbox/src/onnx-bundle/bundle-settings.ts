import { readFile } from 'node:fs/promises';
import { bundleRefused, quoted, Refusal } from '../refusal.js';
import { jsonOutline, type JsonOutline } from './json-outline.js';
import type { OnnxModel } from './onnx-model.js';
import type { UnpackedFile } from './unpacking.js';

/**
 * The purpose of the bundle's model: `classification` gives a text (or pair) one of the labels;
 * `span` finds the answer to a question in a context.
 */
export type BundlePurpose =
  { readonly kind: 'classification'; readonly labels: readonly string[] } | { readonly kind: 'span' };

const MIB = 1024 * 1024;
/**
 * The most bytes of each file. The largest tokenizers in use (250,000 subwords in many scripts)
 * have about 35 MB.
 */
const MAX_BYTES = { 'config.json': MIB, 'tokenizer_config.json': 16 * MIB, 'tokenizer.json': 64 * MIB } as const;
const MAX_LABELS = 10_000;
const FED: readonly string[] = ['input_ids', 'attention_mask', 'token_type_ids', 'position_ids'];

export type SettingsFile = keyof typeof MAX_BYTES;

export const SETTINGS_FILES = Object.keys(MAX_BYTES) as readonly SettingsFile[];

/**
 * Reads the JSON files of the bundle and derives the purpose from them and the model.
 * @throws Refusal if a file is malformed or does not fit the model
 */
export async function readBundlePurpose(
  files: Readonly<Record<SettingsFile, UnpackedFile>>,
  model: OnnxModel,
): Promise<BundlePurpose> {
  const config = await readConfig(files['config.json']);
  await outlineOf('tokenizer_config.json', files['tokenizer_config.json']);
  const tokenizer = await outlineOf('tokenizer.json', files['tokenizer.json']);
  if (tokenizer.members.get('model') !== 'object')
    throw bundleRefused('tokenizer.json has no "model". Save the file with a fast tokenizer.');

  checkInputs(model);
  const isReader = model.outputs.includes('start_logits') && model.outputs.includes('end_logits');
  return isReader ? { kind: 'span' } : { kind: 'classification', labels: labelsOf(config) };
}

/** Checks a file without parsing it: JSON.parse takes 100 MB of memory for 1 MB of brackets. */
async function outlineOf(name: SettingsFile, file: UnpackedFile): Promise<JsonOutline> {
  if (file.size > MAX_BYTES[name])
    throw bundleRefused(`${name} has ${file.size} bytes; the limit is ${MAX_BYTES[name]}.`);
  const outline = await asJson(name, () => jsonOutline(file.path));
  if (outline.kind !== 'object') throw bundleRefused(`${name} is not a JSON object.`);
  return outline;
}

async function readConfig(file: UnpackedFile): Promise<Readonly<Record<string, unknown>>> {
  await outlineOf('config.json', file);
  return asJson('config.json', async () => JSON.parse(await readFile(file.path, 'utf8')) as Record<string, unknown>);
}

async function asJson<T>(name: SettingsFile, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof SyntaxError) throw bundleRefused(`${name} is not valid JSON: ${error.message}.`);
    throw error;
  }
}

function checkInputs({ inputs, outputs }: OnnxModel): void {
  const unknown = inputs.find((name) => !FED.includes(name));
  if (unknown !== undefined) {
    throw bundleRefused(
      `model.onnx requires the input ${quoted(unknown)}; the runner provides only ${FED.join(', ')}.`,
    );
  }
  if (!inputs.includes('input_ids')) throw bundleRefused('model.onnx has no input "input_ids".');
  if (outputs.length === 0) throw bundleRefused('model.onnx has no outputs.');
}

/**
 * Returns the labels from `id2label` of a Hugging Face configuration, in the order of the logits.
 */
function labelsOf(config: Readonly<Record<string, unknown>>): readonly string[] {
  const named = config['id2label'];
  if (!isObject(named) || Object.keys(named).length === 0) {
    throw new Refusal(
      'bundle_incomplete',
      'config.json has no "id2label" and the model no outputs start_logits and end_logits. Its answers have no labels.',
    );
  }
  const count = Object.keys(named).length;
  if (count > MAX_LABELS)
    throw bundleRefused(`"id2label" of config.json has ${count} labels; the limit is ${MAX_LABELS}.`);
  const labels = Array.from({ length: count }, (_, id) => named[String(id)]);
  labels.forEach((label, id) => {
    if (typeof label !== 'string')
      throw bundleRefused(
        `"id2label" of config.json has no label for ${id}; it needs one for each of 0 to ${count - 1}.`,
      );
    if (labels.indexOf(label) !== id)
      throw bundleRefused(`"id2label" of config.json has the label ${quoted(label)} twice.`);
  });
  return labels as string[];
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
