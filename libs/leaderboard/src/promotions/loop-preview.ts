import type { LoopPreview } from '@assay/contracts/boards';
import type { LoopPolicy } from '@assay/contracts/tasks';
import type { BoardModel } from '../boards/board-content.js';
import type { PublishedBoard } from '../boards/leaderboard-view.js';
import {
  type Candidate,
  chooseLoop,
  copyOf,
  diversePool,
  type ExcludedModels,
  idsBelowBaseline,
  ofSameOwner,
  rankedCandidates,
} from './promotion.policy.js';

/** The number of best models to show in addition to those that are selected or leave. */
const OTHERS = 20;

export interface LoopNow {
  /** IDs of the models in the loop. */
  readonly incumbents: ReadonlySet<string>;
  readonly excluded: ExcludedModels;
}

type PreviewedModel = LoopPreview['models'][number];

/**
 * Returns the models that the policy of this board would select, then the other models by rank,
 * each with the reason.
 */
export function previewLoop(revision: PublishedBoard, now: LoopNow): Pick<LoopPreview, 'models' | 'together'> {
  const { loop, models } = revision.content;
  const chosen = chooseLoop(revision, now.incumbents, now.excluded);
  const chosenIds = new Set(chosen.map(({ model }) => model.id));
  const ranked = rankedCandidates(revision);
  const others = ranked.filter(({ model }) => !chosenIds.has(model.id));
  const told = others.filter(({ model }, place) => place < OTHERS || now.incumbents.has(model.id));
  const pool = new Set(diversePool(revision, now.excluded).map(({ model }) => model.id));
  const rankedIds = new Set(ranked.map(({ model }) => model.id));
  const below = idsBelowBaseline(revision);
  const unranked = models.filter(({ id }) => now.incumbents.has(id) && !rankedIds.has(id) && !chosenIds.has(id));
  const together = chosen[0]?.evidence.together;
  return {
    models: [
      ...chosen.map((each) => view(each.model, each, change(each.model, now, true), whyChosen(each, loop, now))),
      ...told.map((each) =>
        view(
          each.model,
          each,
          change(each.model, now, false),
          each.obstacle ?? whyNot(each, chosen, loop, { ...now, pool }),
        ),
      ),
      ...unranked.map((model) =>
        view(
          model,
          null,
          'leave',
          below.has(model.id) ? 'It is not better than the baseline.' : 'It has no rank on the board.',
        ),
      ),
    ],
    ...(together && { together: { ...together } }),
  };
}

const view = (
  { id, name, owner }: BoardModel,
  candidate: Candidate | null,
  would: PreviewedModel['would'],
  why: string,
): PreviewedModel => ({
  model: { id, name },
  owner,
  rank: candidate?.evidence.rank ?? null,
  dynascore: candidate?.evidence.dynascore ?? null,
  would,
  why,
});

function change({ id }: BoardModel, { incumbents }: LoopNow, isChosen: boolean): PreviewedModel['would'] {
  if (isChosen) return incumbents.has(id) ? 'stay' : 'join';
  return incumbents.has(id) ? 'leave' : 'stay-out';
}

function whyChosen({ model, evidence }: Candidate, loop: LoopPolicy, { incumbents }: LoopNow): string {
  if (loop.strategy === 'diverse' && evidence.together) {
    const { wrong, examples } = evidence.together;
    return `${wrong} of ${examples} examples are wrong for all selected models, the fewest for any selection.`;
  }
  if (evidence.warning !== undefined) return evidence.warning;
  if (incumbents.has(model.id)) return 'It is in the loop, meets the bounds, and no challenger leads it by enough.';
  return `It meets the bounds and has rank ${evidence.rank} with ${points(evidence.dynascore)} points of Dynascore.`;
}

function whyNot(
  candidate: Candidate,
  chosen: readonly Candidate[],
  loop: LoopPolicy,
  { incumbents, excluded, pool }: LoopNow & { readonly pool: ReadonlySet<string> },
): string {
  const { model, evidence } = candidate;
  const reason = excluded.get(model.id);
  if (reason !== undefined) return reason;
  if (loop.size === 0) return 'The policy selects no models.';
  const copy = copyOf(chosen, candidate);
  if (copy) return `It is a copy of "${copy.model.name}", which is selected.`;
  const own = ofSameOwner(chosen, candidate);
  if (own.length >= (loop.perOwner ?? Infinity))
    return `Its owner has ${own.length} in the loop, the limit of \`perOwner\`.`;
  if (loop.strategy === 'diverse') {
    return pool.has(model.id)
      ? 'With it, more examples would be wrong for all selected models.'
      : `It is more than ${loop.margin} points of Dynascore behind the best.`;
  }
  const behind = chosen.find(
    (other) => incumbents.has(other.model.id) && evidence.dynascore > other.evidence.dynascore,
  );
  if (behind) {
    const lead = points(evidence.dynascore - behind.evidence.dynascore);
    return `It leads "${behind.model.name}", which is in the loop, by ${lead} points. It needs a lead of more than ${loop.margin}.`;
  }
  return `The loop has ${loop.size} places, and the selected models are ahead of it.`;
}

const points = (value: number): string => value.toFixed(2);
