import { COST_METRICS, declareMetric, type Estimate, isCostMetric } from '@assay/contracts/metrics';
import { type LoopPolicy } from '@assay/contracts/tasks';
import { metricValue, shownUnit } from '@assay/contracts/text';
import type { Ranking } from '@assay/scoring/board';
import type { BoardContent, BoardModel, DiverseChoice } from '../boards/board-content.js';
import type { PublishedBoard } from '../boards/leaderboard-view.js';
import { byRank, type PromotionEvidence } from './promotion.js';
import { bestReferences, isBetter, references } from '../boards/reference-boards.js';
import { aggregatesOf, OFFICIAL, weigh, type WeighedBoard } from '../boards/weighed-board.js';

/**
 * Cells on datasets that were collected against the model itself never support its promotion, even
 * if the board counts them.
 */
const FOR_PROMOTION = { ...OFFICIAL, ownRounds: 'adjust' } as const;

/** Models that the policy cannot select: by ID, the reason as a sentence. */
export type ExcludedModels = ReadonlyMap<string, string>;

/** A model that the policy could select, in board order. */
export interface Candidate {
  readonly model: BoardModel;
  readonly evidence: PromotionEvidence;
}

/**
 * Returns the models that should be target models according to the task's policy and this revision:
 * the best models that meet its bounds and can be served live, never two copies of one model. An incumbent that still meets the
 * bounds stays unless a challenger leads it by more than `margin` points of score. Models in
 * `excluded` are not candidates.
 */
export function chooseLoop(
  revision: PublishedBoard,
  incumbents: ReadonlySet<string>,
  excluded?: ExcludedModels,
): readonly Candidate[] {
  const { loop } = revision.content;
  const candidates = eligible(revision, excluded);
  const { diverse } = revision.content;
  if (loop.strategy === 'diverse' && diverse) return chooseDiverse(candidates, diverse, loop);
  const chosen: Candidate[] = [];
  fill(
    chosen,
    candidates.filter(({ model }) => incumbents.has(model.id)),
    loop,
  );
  for (const challenger of candidates) {
    if (chosen.includes(challenger)) continue;
    // an owner who has reached `perOwner` can only replace one of their own models, and a copy the other copy
    const own = ofSameOwner(chosen, challenger);
    const isOwnerFull = own.length >= (loop.perOwner ?? Infinity);
    const copy = copyOf(chosen, challenger);
    if (!copy && !isOwnerFull && chosen.length < loop.size) {
      chosen.push(challenger);
      continue;
    }
    const replaceable = isOwnerFull ? own : chosen;
    const [weakest] = replaceable
      .filter((other) => !copy || other === copy)
      .toSorted((a, b) => a.evidence.dynascore - b.evidence.dynascore);
    if (!weakest || !(challenger.evidence.dynascore - weakest.evidence.dynascore > loop.margin)) continue;
    chosen.splice(chosen.indexOf(weakest), 1, challenger);
  }
  return chosen.toSorted(byRank);
}

/**
 * Returns the set that was chosen when the board was published. Models that have left since are
 * replaced by the next best candidates.
 */
function chooseDiverse(
  candidates: readonly Candidate[],
  { models, wrong, examples }: DiverseChoice,
  loop: LoopPolicy,
): readonly Candidate[] {
  const chosen = candidates.filter(({ model }) => models.includes(model.id));
  const isWhole = chosen.length === models.length;
  fill(chosen, candidates, loop);
  return chosen
    .map((each) =>
      isWhole
        ? {
            ...each,
            evidence: { ...each.evidence, together: { wrong, examples } },
          }
        : each,
    )
    .toSorted(byRank);
}

/** Adds those of the candidates, best first, that the loop and their owner have room for. */
function fill(chosen: Candidate[], candidates: readonly Candidate[], { size, perOwner = Infinity }: LoopPolicy): void {
  for (const candidate of candidates) {
    const hasRoom = chosen.length < size && ofSameOwner(chosen, candidate).length < perOwner;
    if (hasRoom && !chosen.includes(candidate) && !copyOf(chosen, candidate)) chosen.push(candidate);
  }
}

export const ofSameOwner = (chosen: readonly Candidate[], { model }: Candidate): Candidate[] =>
  chosen.filter((other) => other.model.owner === model.owner);

/** Returns the chosen model that is a copy of a candidate; undefined if there is none. */
export const copyOf = (chosen: readonly Candidate[], { model }: Candidate): Candidate | undefined =>
  chosen.find((other) => model.copies !== undefined && other.model.copies === model.copies);

/**
 * Returns the models that a diverse loop is chosen from: those within `margin` points of score of
 * the best one, and in any case the best `size` models. Of copies, the best one counts alone.
 */
export function diversePool(revision: PublishedBoard, excluded: ExcludedModels): readonly Candidate[] {
  const { loop } = revision.content;
  const candidates: Candidate[] = [];
  for (const candidate of eligible(revision, excluded)) {
    if (!copyOf(candidates, candidate)) candidates.push(candidate);
  }
  const best = candidates[0]?.evidence.dynascore ?? 0;
  return candidates.filter(({ evidence }, place) => place < loop.size || best - evidence.dynascore <= loop.margin);
}

/**
 * Returns all models that the policy could select, best first, without those in `excluded`. If none
 * of the models that can be in the loop is above the baseline, the best of the others is the only
 * one, with a warning.
 */
export function eligible(revision: PublishedBoard, excluded: ExcludedModels = new Map()): Candidate[] {
  const ranked = rankedCandidates(revision);
  const selectable = (candidates: readonly RankedCandidate[]): Candidate[] =>
    candidates.flatMap(({ obstacle, isBelow: _, ...candidate }) =>
      obstacle === null && !excluded.has(candidate.model.id) ? [candidate] : [],
    );
  const above = ranked.filter(({ isBelow }) => !isBelow);
  if (above.some(({ model }) => model.kind !== 'predictions' && !excluded.has(model.id))) return selectable(ranked);
  const which = above.length > 0 ? 'No model that can be in the loop' : 'No model';
  const warning = `${which} is better than the baseline; the best one was promoted.`;
  return selectable(candidatesBelow(revision))
    .slice(0, 1)
    .map(({ model, evidence }) => ({ model, evidence: { ...evidence, warning } }));
}

export interface RankedCandidate extends Candidate {
  /**
   * A sentence that says why the policy cannot select the model, regardless of other models. Null
   * if it can.
   */
  readonly obstacle: string | null;
  /** True if the policy requires the performance to be above the baseline, and it is not. */
  readonly isBelow: boolean;
}

/** Returns the IDs of the models below the baseline. */
export function idsBelowBaseline({ content }: PublishedBoard): ReadonlySet<string> {
  const { below } = weigh(content, FOR_PROMOTION);
  return new Set(Array.from(below?.order ?? [], (index) => content.models[index]!.id));
}

/** Returns all ranked models, best first. */
export function rankedCandidates(revision: PublishedBoard): RankedCandidate[] {
  const weighed = weigh(revision.content, FOR_PROMOTION);
  return candidatesOf(revision, weighed, { ranking: weighed.ranking, loop: revision.content.loop });
}

/**
 * Returns the models below the baseline, best first, as the policy judges them without the baseline:
 * those without a rank, or all where the board ranks them too.
 */
function candidatesBelow(revision: PublishedBoard): RankedCandidate[] {
  const weighed = weigh(revision.content, FOR_PROMOTION);
  const { loop } = revision.content;
  const minimum = Object.entries(loop.minimum ?? {}).filter(([, bound]) => bound !== 'baseline');
  return candidatesOf(revision, weighed, {
    ranking: weighed.below ?? weighed.ranking,
    loop: { ...loop, minimum: Object.fromEntries(minimum) },
  });
}

function candidatesOf(
  revision: PublishedBoard,
  weighed: WeighedBoard,
  { ranking, loop }: { readonly ranking: Ranking; readonly loop: LoopPolicy },
): RankedCandidate[] {
  const { content } = revision;
  const baselines = bestReferences(references(weighed));
  return Array.from(ranking.order, (index, place): RankedCandidate => {
    const model = content.models[index]!;
    const aggregates = aggregatesOf(weighed, index);
    const isBelow = !isAboveBaseline(content.performance, { loop, aggregates, weighed, baselines });
    return {
      model,
      evidence: {
        revision: revision.number,
        rank: ranking === weighed.below ? null : ranking.rank[place]!,
        dynascore: ranking.dynascore[place]!,
        values: Object.fromEntries(Object.entries(aggregates).map(([name, { value }]) => [name, value])),
        rule: ruleOf(content.loop),
      },
      isBelow,
      obstacle:
        model.kind === 'predictions'
          ? 'It is a predictions file and cannot answer requests.'
          : missedBound({ loop, aggregates, weighed, baselines }),
    };
  });
}

interface Bounded {
  readonly loop: LoopPolicy;
  readonly aggregates: Readonly<Record<string, Estimate>>;
  readonly weighed: WeighedBoard;
  /** The value of the better reference row, by metric. */
  readonly baselines: Readonly<Record<string, number>>;
}

/** Returns whether a ranked model meets `minimum: {<metric>: baseline}`, if the policy has it. */
function isAboveBaseline(name: string, { loop, aggregates, weighed, baselines }: Bounded): boolean {
  const [estimate, baseline] = [aggregates[name], baselines[name]];
  if (loop.minimum?.[name] !== 'baseline' || !estimate || baseline === undefined) return true;
  // the board has compared the performance of every ranked model with it
  return (name === weighed.scores.content.performance && weighed.below !== null) || isBetter(name, estimate, baseline);
}

/**
 * Returns a sentence about the first bound of the policy that the model misses; null if it misses
 * none.
 */
function missedBound(bounded: Bounded): string | null {
  const { loop, aggregates, weighed } = bounded;
  const { performance } = weighed.scores.content;
  const shown = (name: string, value: number): string => withUnit(name, performance, value);
  for (const [name, bound] of Object.entries(loop.minimum ?? {})) {
    const estimate = aggregates[name];
    if (!estimate) return `It has no ${name}, for which the policy sets a minimum.`;
    if (bound === 'baseline') {
      if (isAboveBaseline(name, bounded)) continue;
      return `The interval of its ${name} is not entirely better than the baseline, ${shown(name, bounded.baselines[name]!)}.`;
    }
    if (!(estimate.value >= bound))
      return `Its ${name} is ${shown(name, estimate.value)}, below ${shown(name, bound)}.`;
  }
  for (const [name, bound] of Object.entries(loop.maximum)) {
    const estimate = aggregates[name];
    if (!estimate) return `It has no ${name}, for which the policy sets a maximum.`;
    if (!(estimate.value <= bound))
      return `Its ${name} is ${shown(name, estimate.value)}, above ${shown(name, bound)}.`;
  }
  return null;
}

function withUnit(name: string, performance: BoardContent['performance'], value: number): string {
  const unit = declareMetric(name, performance)?.unit ?? 'value';
  const text = metricValue(unit, value);
  if (unit === 'ratio') return `${text}%`;
  return unit === 'value' ? text : `${text} ${shownUnit(unit)}`;
}

/** Returns the policy in words, as the evidence records it. */
export function ruleOf(loop: LoopPolicy): string {
  const bounds = [
    ...Object.entries(loop.minimum ?? {}).map(([name, bound]) =>
      bound === 'baseline' ? `${name} above the baseline` : `${name} at least ${bound}`,
    ),
    ...Object.entries(loop.maximum).map(
      ([name, bound]) => `${name} at most ${bound}${isCostMetric(name) ? ` ${COST_METRICS[name].unit}` : ''}`,
    ),
  ];
  const which =
    loop.strategy === 'diverse'
      ? `the ${loop.size} whose errors differ most, among those within ${loop.margin} points of the best by Dynascore`
      : `the best ${loop.size} by Dynascore`;
  return `${which}${bounds.length > 0 ? ` with ${bounds.join(', ')}` : ''}`;
}
