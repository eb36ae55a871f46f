// Explains which words of a text mattered to a classifier: leaves out each in turn, and answers all
// variants of an instance in one call.

/** The most pieces of an instance. Words of a longer one are left out several at a time. */
const MOST_PIECES = 400;

const segmenter = new Intl.Segmenter(undefined, { granularity: 'word' });

/**
 * @typedef {object} Piece
 * @property {string} field
 * @property {number} start in UTF-16 units
 * @property {number} end
 */

/**
 * @param {Record<string, unknown>} instance
 * @param {readonly string[]} fields
 * @returns {Piece[]}
 */
export function piecesOf(instance, fields) {
  const words = fields.map((field) =>
    Array.from(segmenter.segment(String(instance[field])))
      .filter(({ isWordLike }) => isWordLike)
      .map(({ index, segment }) => ({ field, start: index, end: index + segment.length })),
  );
  const together = Math.max(1, Math.ceil(words.flat().length / MOST_PIECES));
  return words.flatMap((own) => {
    const pieces = [];
    for (let first = 0; first < own.length; first += together) {
      const last = own[Math.min(first + together, own.length) - 1];
      pieces.push({ ...own[first], end: last.end });
    }
    return pieces;
  });
}

/** Returns the instance without a piece and without the gap that it would leave. */
export function without(instance, { field, start, end }) {
  const text = String(instance[field]);
  const before = text.slice(0, start);
  const after = text.slice(end);
  return { ...instance, [field]: before + (before === '' || before.endsWith(' ') ? after.replace(/^ /, '') : after) };
}

/**
 * Explains an answer. The weight of a piece is the decrease of the answer's probability when the
 * piece is left out.
 * @param {Record<string, unknown>} instance
 * @param {readonly string[]} fields
 * @param {readonly Piece[]} pieces
 * @param {readonly { label: string, probabilities: Record<string, number> }[]} answers to the
 * instance, then to it without each piece
 */
export function explanation(instance, fields, pieces, [whole, ...variants]) {
  const explained = Object.fromEntries(fields.map((field) => [field, []]));
  pieces.forEach(({ field, start, end }, index) => {
    const weight = whole.probabilities[whole.label] - variants[index].probabilities[whole.label];
    explained[field].push({ token: String(instance[field]).slice(start, end), start, end, weight });
  });
  return explained;
}
