import { distance } from 'fastest-levenshtein';
import type { TextRules } from '../language/text-rules.js';
import type { MetricContext, MetricExample, SumsMetric } from '../metric.js';
import { squadReferences } from './words.js';

type Tokens = readonly string[];

/**
 * Creates a set-level error rate: the substitutions, insertions and deletions that turn the answers
 * into the references, divided by the number of reference tokens. A long reference therefore weighs
 * more, and the rate may exceed 1. If there are several references, the one with the lowest rate
 * counts. A tolerated bad answer misses every token of the longest reference, and at least one
 * token. Undefined (NaN) if all references are empty.
 */
export const editRate = (tokensOf: (text: string, rules: TextRules) => Tokens) =>
  ({
    kind: 'sums',
    // edits, tokens of the references
    width: () => 2,
    contribute: ({ gold, predicted }: MetricExample, into: Float64Array, offset: number, context: MetricContext) => {
      const references = squadReferences(gold).map((reference) => tokensOf(reference, context));
      const [edits, tokens] =
        predicted === null ? missed(references) : fewestEdits(references, tokensOf(predicted, context));
      into[offset] = edits;
      into[offset + 1] = tokens;
    },
    fromSums: (sums) => (sums[1] === 0 ? NaN : sums[0]! / sums[1]!),
  }) satisfies Pick<SumsMetric, 'kind' | 'width' | 'contribute' | 'fromSums'>;

function missed(references: readonly Tokens[]): readonly [edits: number, tokens: number] {
  const longest = Math.max(...references.map((reference) => reference.length));
  return [Math.max(1, longest), longest];
}

function fewestEdits(references: readonly Tokens[], answer: Tokens): readonly [edits: number, tokens: number] {
  const rated = references.map((reference) => {
    const edits = editDistance(reference, answer);
    return { edits, tokens: reference.length, rate: edits === 0 ? 0 : edits / reference.length };
  });
  const { edits, tokens } = rated.reduce((best, each) => (each.rate < best.rate ? each : best));
  return [edits, tokens];
}

/** All UTF-16 code units except one, which represents every token that is not in the reference. */
const MAXIMUM_TOKENS = 0xffff;

/**
 * Returns the edit distance in tokens. The library compares UTF-16 code units, so each distinct
 * token of the reference is mapped to one unit.
 *
 * @throws RangeError if the reference has more than 65,535 distinct tokens
 */
function editDistance(reference: Tokens, answer: Tokens): number {
  const units = new Map<string, string>();
  for (const token of reference) {
    if (!units.has(token)) units.set(token, String.fromCharCode(units.size + 1));
  }
  if (units.size > MAXIMUM_TOKENS) throw new RangeError('a reference has more than 65,535 different tokens');

  const asUnits = (tokens: Tokens): string => tokens.map((token) => units.get(token) ?? '\0').join('');
  return distance(asUnits(reference), asUnits(answer));
}
