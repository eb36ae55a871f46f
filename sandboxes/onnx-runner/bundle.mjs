// Reads the settings of a bundle from its files before the model is loaded.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The number of positions if neither the tokenizer nor the configuration bounds them. */
const DEFAULT_MAX_TOKENS = 512;

/**
 * @typedef {object} Padding
 * @property {'Left' | 'Right'} direction
 * @property {number} id token ID of the padding
 * @property {number} typeId
 * @property {number | null} multipleOf
 * @property {number | null} fixed length of every row if the tokenizer pads to one
 *
 * @typedef {object} Truncation
 * @property {number} maxTokens
 * @property {'LongestFirst' | 'OnlyFirst' | 'OnlySecond'} strategy
 * @property {'Left' | 'Right'} direction
 * @property {number} stride
 *
 * @typedef {object} BundleSettings
 * @property {string} modelPath
 * @property {string} tokenizerPath
 * @property {readonly string[]} labels in the order of the logits; empty if there are none
 * @property {'single_label_classification'
 *   | 'multi_label_classification'
 *   | 'regression'} problemType
 * @property {Padding} padding
 * @property {Truncation} truncation
 */

/**
 * Reads the settings of the bundle in `folder`.
 * @param {string} folder
 * @returns {BundleSettings}
 */
export function readBundle(folder) {
  const config = readJson(folder, 'config.json');
  const tokenizer = readJson(folder, 'tokenizer.json');
  const tokenizerConfig = readJson(folder, 'tokenizer_config.json');
  return {
    modelPath: join(folder, 'model.onnx'),
    tokenizerPath: join(folder, 'tokenizer.json'),
    labels: labelsOf(config),
    problemType: config.problem_type ?? 'single_label_classification',
    padding: paddingOf(tokenizer, config),
    truncation: truncationOf(tokenizer, tokenizerConfig, config),
  };
}

function readJson(folder, name) {
  try {
    return JSON.parse(readFileSync(join(folder, name), 'utf8'));
  } catch (error) {
    throw new Error(`${name}: ${error.message}`);
  }
}

function labelsOf(config) {
  const named = config.id2label ?? {};
  return Object.keys(named)
    .sort((a, b) => Number(a) - Number(b))
    .map((id) => String(named[id]));
}

function paddingOf(tokenizer, config) {
  const padding = tokenizer.padding ?? {};
  return {
    direction: padding.direction ?? 'Right',
    id: padding.pad_id ?? config.pad_token_id ?? 0,
    typeId: padding.pad_type_id ?? 0,
    multipleOf: padding.pad_to_multiple_of ?? null,
    fixed: padding.strategy?.Fixed ?? null,
  };
}

function truncationOf(tokenizer, tokenizerConfig, config) {
  const truncation = tokenizer.truncation ?? {};
  const bounds = [truncation.max_length, tokenizerConfig.model_max_length, positions(config)];
  // transformers writes 1e30 for "unbounded"
  const maxTokens = Math.min(...bounds.filter((bound) => Number.isSafeInteger(bound) && bound > 0));
  return {
    maxTokens: Number.isFinite(maxTokens) ? maxTokens : DEFAULT_MAX_TOKENS,
    strategy: truncation.strategy ?? 'LongestFirst',
    direction: truncation.direction ?? 'Right',
    stride: truncation.stride ?? 0,
  };
}

/**
 * Returns the number of usable positions. RoBERTa and related models number positions from the
 * padding ID + 1, so two of them never contain a token.
 */
function positions(config) {
  const reserved = /roberta|camembert|longformer|mpnet/.test(config.model_type ?? '') ? 2 : 0;
  return (config.max_position_embeddings ?? Number.NaN) - reserved;
}
