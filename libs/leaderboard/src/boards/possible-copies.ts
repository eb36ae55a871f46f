import { setImmediate as nextTurn } from 'node:timers/promises';
import { inTurns } from '@assay/scoring';
import { type JudgedAnswers, possibleCopiesInTurn } from '@assay/scoring/comparison';
import { discordantCounts, RIGHT_ANSWERS, RIGHT_PER_VALUE } from '@assay/scoring/ranks';
import type { BoardContent, BoardDataset, BoardModel } from './board-content.js';
import type { BoardResamples } from './board-resamples.js';
import { CERTAIN_PLACES } from './rank-certainty.js';
import type { ResamplesLookup } from './score-draws.js';
import { officialBoard } from './weighed-board.js';

/** The most examples that are compared. 200 models with so many take about a second. */
const MOST_EXAMPLES = 1024 * RIGHT_PER_VALUE;

/**
 * Returns the content with the possible copies of each model among the first 200, since rules 2. They are found
 * by which answers are right, on the datasets that count and were not collected against any model of the board:
 * such examples are wrong by construction.
 */
export async function withPossibleCopies(content: BoardContent, resamples: BoardResamples): Promise<BoardContent> {
  if (content.rules !== 2) return content;
  const { ranking, datasetWeights } = officialBoard(content);
  const models = Array.from(ranking.order.subarray(0, CERTAIN_PLACES), (index) => content.models[index]!);
  const datasets = content.datasets.filter(
    ({ name }) => (datasetWeights[name] ?? 0) > 0 && !content.models.some(({ own }) => own?.includes(name)),
  );
  const parts = comparedParts(datasets);
  const digests = models.flatMap((model) => parts.flatMap(({ name }) => model.resamples?.[name] ?? []));
  const lookup = await resamples.load([...new Set(digests)]);
  const judged = models.flatMap((model) => {
    const answers = answersOf(model, parts, lookup);
    return answers ? [{ id: model.id, answers }] : [];
  });
  const examples = parts.reduce((sum, part) => sum + part.examples, 0);
  const answers = judged.map((each) => each.answers);
  const pairs = await inTurns(possibleCopiesInTurn(answers, examples), () => nextTurn());
  const found = new Map<string, string[]>();
  for (const [one, other] of pairs) {
    const [first, second] = [judged[one]!.id, judged[other]!.id];
    found.set(first, [...(found.get(first) ?? []), second]);
    found.set(second, [...(found.get(second) ?? []), first]);
  }
  if (found.size === 0) return content;
  return {
    ...content,
    models: content.models.map((model) => {
      const possibleCopyOf = found.get(model.id);
      return possibleCopyOf ? { ...model, possibleCopyOf } : model;
    }),
  };
}

/** The first examples of a dataset. */
interface ComparedPart {
  readonly name: string;
  readonly examples: number;
}

/** Returns the examples that are compared. A part of a dataset ends at a value of packed answers. */
function comparedParts(datasets: readonly BoardDataset[]): readonly ComparedPart[] {
  const parts: ComparedPart[] = [];
  let left = MOST_EXAMPLES;
  for (const { name, examples } of datasets) {
    const taken = examples <= left ? examples : left - (left % RIGHT_PER_VALUE);
    if (taken > 0) parts.push({ name, examples: taken });
    left -= taken;
  }
  return parts;
}

/** Returns null if it is not known which answers of the model are right. */
function answersOf(
  { owner, copies, resamples }: BoardModel,
  parts: readonly ComparedPart[],
  lookup: ResamplesLookup,
): JudgedAnswers | null {
  const right: number[] = [];
  let examples = 0;
  for (const part of parts) {
    const values = Math.ceil(part.examples / RIGHT_PER_VALUE);
    const packed = resamples?.[part.name]?.map((digest) => lookup(digest)?.[RIGHT_ANSWERS]).find((each) => each);
    if (!packed || packed.length < values) return null;
    right.push(...packed.subarray(0, values));
    examples += part.examples;
  }
  const all = Float32Array.from(right);
  return { owner, copies, right: all, wrong: examples - discordantCounts(all, new Float32Array(all.length)).one };
}
