import type { TokenWeight } from './live-predictions.js';

type Input = Readonly<Record<string, unknown>>;

export interface Occlusion {
  readonly input: Input;
  /** Those of the input whose words are left out. */
  readonly fields: readonly string[];
  /** How much the model's answer to each of the inputs speaks for what is explained. */
  readonly score: (inputs: readonly Input[]) => Promise<readonly number[]>;
}

/** Pieces into which an input is cut at most: each costs a prediction. Words of a longer one are left out several at a time. */
const MOST_PIECES = 400;

interface Piece {
  readonly field: string;
  readonly start: number;
  readonly end: number;
}

/**
 * Which words of an input matter to a black box: the weight of a word is by how much the score falls when it is left out (Zeiler & Fergus
 * 2014, with words for patches; Li et al. 2016). Of a model that adds up weights of words it gives these weights.
 */
export async function occlude({
  input,
  fields,
  score,
}: Occlusion): Promise<Readonly<Record<string, readonly TokenWeight[]>>> {
  const pieces = cut(input, fields);
  const [whole = 0, ...without] = await score([input, ...pieces.map((piece) => leaveOut(input, piece))]);
  const weights: Record<string, TokenWeight[]> = Object.fromEntries(fields.map((field) => [field, []]));
  for (const [index, { field, start, end }] of pieces.entries()) {
    const token = textOf(input, field).slice(start, end);
    weights[field]!.push({ token, start, end, weight: whole - (without[index] ?? whole) });
  }
  return weights;
}

function cut(input: Input, fields: readonly string[]): readonly Piece[] {
  const words = fields.flatMap((field) => wordsOf(textOf(input, field)).map((word) => ({ field, ...word })));
  const together = Math.ceil(words.length / MOST_PIECES);
  if (together <= 1) return words;
  const pieces: Piece[] = [];
  for (const field of fields) {
    const own = words.filter((word) => word.field === field);
    for (let first = 0; first < own.length; first += together) {
      const last = own[Math.min(first + together, own.length) - 1]!;
      pieces.push({ field, start: own[first]!.start, end: last.end });
    }
  }
  return pieces;
}

function wordsOf(text: string): readonly Omit<Piece, 'field'>[] {
  // words as people know them, also where no spaces stand between them
  const segments = new Intl.Segmenter(undefined, { granularity: 'word' }).segment(text);
  return Array.from(segments)
    .filter(({ isWordLike }) => isWordLike)
    .map(({ index, segment }) => ({ start: index, end: index + segment.length }));
}

/** The input without the piece, and without the gap that it would leave. */
function leaveOut(input: Input, { field, start, end }: Piece): Input {
  const text = textOf(input, field);
  const before = text.slice(0, start);
  const after = text.slice(end);
  const rest = before === '' || before.endsWith(' ') ? after.replace(/^ /, '') : after;
  return { ...input, [field]: before + rest };
}

const textOf = (input: Input, field: string): string => {
  const value = input[field];
  return typeof value === 'string' ? value : '';
};
