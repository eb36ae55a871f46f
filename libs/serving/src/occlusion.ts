import type { TokenWeight } from './live-predictions.js';

type Input = Readonly<Record<string, unknown>>;

export interface Occlusion {
  readonly input: Input;
  /** The fields of the input whose words are left out. */
  readonly fields: readonly string[];
  /** Returns for each input how strongly the model's answer to it supports what is explained. */
  readonly score: (inputs: readonly Input[]) => Promise<readonly number[]>;
}

/**
 * The number of pieces that an input is cut into at most, plus one for each further field. Each
 * piece costs a prediction. In longer inputs, several words are left out at a time.
 */
const MOST_PIECES = 400;

interface Piece {
  readonly field: string;
  readonly start: number;
  readonly end: number;
}

/**
 * Returns which words of an input matter to a black-box model. The weight of a word is the decrease
 * of the score when the word is left out (Zeiler & Fergus 2014, with words instead of patches; Li
 * et al. 2016). For a model that sums word weights, the result equals these weights.
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
  return fields.flatMap((field) => {
    const own = words.filter((word) => word.field === field);
    const groups = Map.groupBy(own.entries(), ([index]) => Math.floor(index / together));
    return Array.from(groups.values(), (group) => ({ field, start: group[0]![1].start, end: group.at(-1)![1].end }));
  });
}

function wordsOf(text: string): readonly Omit<Piece, 'field'>[] {
  // words in the linguistic sense, also in scripts without spaces
  const segments = new Intl.Segmenter(undefined, { granularity: 'word' }).segment(text);
  return Array.from(segments)
    .filter(({ isWordLike }) => isWordLike)
    .map(({ index, segment }) => ({ start: index, end: index + segment.length }));
}

/** Returns the input without the piece, and without the double space it would leave. */
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
