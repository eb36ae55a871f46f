// Packs tokenised texts into the input tensors of a model.

/** Rows are padded to a multiple of this, so that a batch contains rows of nearly one length. */
const BUCKET = 8;
/** The most tokens per model call, padding included; bounds the memory of activations. */
const MAX_BATCH_TOKENS = 8_192;
/** The most rows per model call. */
const MAX_BATCH_ROWS = 128;

/** The source of each input's values and padding, for `tensors`. */
const FEEDS = {
  input_ids: { read: (encoding) => encoding.getIds(), filler: (padding) => padding.id },
  token_type_ids: { read: (encoding) => encoding.getTypeIds(), filler: (padding) => padding.typeId },
  attention_mask: { read: null, filler: () => 0 },
  position_ids: { read: null, filler: () => 0 },
};

/**
 * The inputs that a model requires.
 * @typedef {object} Feeding
 * @property {readonly {name: keyof typeof FEEDS, type: 'int64' | 'int32'}[]} inputs as declared
 * @property {number | null} rows of a batch if the export fixed them
 * @property {number | null} tokens of a row if the export fixed them
 */

/**
 * Reads the required inputs of the model from the session's metadata.
 * @param {import('onnxruntime-node').InferenceSession} session
 * @returns {Feeding}
 */
export function feedingOf(session) {
  const inputs = session.inputMetadata.map(({ name, type, shape, isTensor }) => {
    if (!Object.hasOwn(FEEDS, name)) {
      throw new Error(`model.onnx has an input "${name}"; the runner feeds ${Object.keys(FEEDS).join(', ')}`);
    }
    if (!isTensor || (type !== 'int64' && type !== 'int32') || shape.length !== 2) {
      throw new Error(`the input "${name}" of model.onnx must be int64 [batch, sequence]`);
    }
    return { name, type, shape };
  });
  const fixed = (axis) => inputs.map(({ shape }) => shape[axis]).find((size) => typeof size === 'number') ?? null;
  return { inputs: inputs.map(({ name, type }) => ({ name, type })), rows: fixed(0), tokens: fixed(1) };
}

/**
 * Groups rows that are padded to the same length. The padded length depends on the row alone, never
 * on other rows. The composition of a batch therefore changes neither the shape of a row's
 * arithmetic nor, thereby, its result.
 * @param {readonly {getLength(): number}[]} encodings
 * @param {import('./bundle.mjs').BundleSettings} settings
 * @param {Feeding} feeding
 * @returns {{ rows: number[], length: number }[]} indices into `encodings`, and tokens per row
 */
export function batches(encodings, { padding, truncation }, feeding) {
  const masked = feeding.inputs.some(({ name }) => name === 'attention_mask');
  // without a mask, padding would count as a word
  const step = padding.multipleOf ?? (masked ? BUCKET : 1);
  const fixed = feeding.tokens ?? padding.fixed;

  /** @type {Map<number, number[]>} */
  const byLength = new Map();
  for (let row = 0; row < encodings.length; row++) {
    const tokens = Math.max(1, encodings[row].getLength());
    const length = fixed ?? Math.max(tokens, Math.min(Math.ceil(tokens / step) * step, truncation.maxTokens));
    const rows = byLength.get(length);
    if (rows === undefined) byLength.set(length, [row]);
    else rows.push(row);
  }
  return [...byLength].flatMap(([length, rows]) => cut(rows, length, feeding));
}

function cut(rows, length, feeding) {
  const most = feeding.rows ?? Math.max(1, Math.min(MAX_BATCH_ROWS, Math.floor(MAX_BATCH_TOKENS / length)));
  const parts = [];
  for (let start = 0; start < rows.length; start += most) parts.push({ rows: rows.slice(start, start + most), length });
  return parts;
}

/**
 * Returns the tensors of one batch, each of shape `[rows, length]`.
 * @param {typeof import('onnxruntime-node').Tensor} Tensor
 * @param {{ rows: number[], length: number }} batch
 * @param {readonly import('tokenizers').Encoding[]} encodings
 * @param {import('./bundle.mjs').Padding} padding
 * @param {Feeding} feeding
 */
export function tensors(Tensor, batch, encodings, padding, feeding) {
  const rows = feeding.rows ?? batch.rows.length;
  /** @type {Record<string, import('onnxruntime-node').Tensor>} */
  const feeds = {};
  for (const { name, type } of feeding.inputs) {
    const words = type === 'int64' ? 2 : 1;
    const data = new Int32Array(rows * batch.length * words);
    fill(data, words, batch, encodings, FEEDS[name], name, padding);
    feeds[name] = new Tensor(type, type === 'int64' ? new BigInt64Array(data.buffer) : data, [rows, batch.length]);
  }
  return feeds;
}

/**
 * Writes 64-bit integers as pairs of 32-bit words, the low one first. No ID is negative, and a
 * BigInt per token would be an allocation.
 */
function fill(data, words, batch, encodings, feed, name, padding) {
  const filler = feed.filler(padding);
  for (let row = 0; row < batch.rows.length; row++) {
    const encoding = encodings[batch.rows[row]];
    const values = feed.read?.(encoding);
    const tokens = encoding.getLength();
    const first = row * batch.length;
    const start = padding.direction === 'Left' ? first + batch.length - tokens : first;
    if (filler !== 0) {
      for (let at = first; at < start; at++) data[at * words] = filler;
      for (let at = start + tokens; at < first + batch.length; at++) data[at * words] = filler;
    }
    if (values !== undefined)
      for (let token = 0; token < tokens; token++) data[(start + token) * words] = values[token];
    else if (name === 'position_ids')
      for (let token = 0; token < tokens; token++) data[(start + token) * words] = token;
    else for (let token = 0; token < tokens; token++) data[(start + token) * words] = 1;
  }
}
