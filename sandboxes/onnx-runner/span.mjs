// Turns the start and end logits of an extractive reader into answers.

/** The most tokens of an answer. */
export const MAX_ANSWER_TOKENS = 30;

/** The sequence ID of the context, from which the answer is taken. The question is sequence 0. */
const CONTEXT = 1;

/**
 * Returns the span of at most 30 tokens within the context that maximises start + end; of equal
 * spans the first.
 * @param {import('tokenizers').Encoding} encoding of question and context
 * @param {string} context
 * @param {{ start: ArrayLike<number>, end: ArrayLike<number>, offset: number }} logits `offset` is
 * that of the encoding's first token
 * @returns {{ answer: string, score: number, start: number, end: number }} `score` is the product
 * of the two softmaxes over the context; `start` and `end` count characters (Unicode code points)
 * of the context, as Hugging Face pipelines do
 */
export function bestSpan(encoding, context, { start, end, offset }) {
  const sequences = encoding.getSequenceIds();
  const first = sequences.indexOf(CONTEXT);
  if (first === -1) return { answer: '', score: 0, start: 0, end: 0 };
  const last = sequences.lastIndexOf(CONTEXT);

  let best = { from: first, to: first, sum: Number.NEGATIVE_INFINITY };
  for (let from = first; from <= last; from++) {
    const limit = Math.min(last, from + MAX_ANSWER_TOKENS - 1);
    for (let to = from; to <= limit; to++) {
      const sum = start[offset + from] + end[offset + to];
      if (sum > best.sum) best = { from, to, sum };
    }
  }

  const [characterStart] = encoding.tokenToChars(best.from) ?? [0, 0];
  const [, characterEnd] = encoding.tokenToChars(best.to) ?? [0, 0];
  return {
    answer: characters(context, characterStart, characterEnd),
    score: softmaxAt(start, offset, first, last, best.from) * softmaxAt(end, offset, first, last, best.to),
    start: characterStart,
    end: characterEnd,
  };
}

function softmaxAt(logits, offset, first, last, index) {
  let total = 0;
  for (let token = first; token <= last; token++) total += Math.exp(logits[offset + token] - logits[offset + index]);
  return 1 / total;
}

/**
 * Returns `text` from code point `start` to `end`. JavaScript's own indices count a character
 * beyond U+FFFF twice.
 */
function characters(text, start, end) {
  if (!/[\ud800-\udfff]/.test(text)) return text.slice(start, end);
  return Array.from(text).slice(start, end).join('');
}
