import { z } from 'zod';
import { CLOSING_STEPS, ROUND_STATES, RoundCondition, SplitShares, TurningRule } from '../collection/collection.js';
import { LoopView } from '../boards/leaderboard.js';
import { namedObject, namedStrictObject } from '../named-object.js';

/** The properties of an open round that can change. */
export const PatchRound = namedStrictObject('PatchRound', {
  description: z.string().max(20_000).optional().describe('Markdown'),
  turn: TurningRule.optional().describe('replaces what closes it'),
});
export type PatchRound = z.infer<typeof PatchRound>;

export const CloseRound = namedStrictObject('CloseRound', {
  pending: z
    .enum(['leave', 'await'])
    .default('leave')
    .describe(
      'examples that are not validated yet: left out of the datasets, or awaited for as long as the turning rule says',
    ),
});
export type CloseRound = z.infer<typeof CloseRound>;

export const RoundModelView = namedObject('RoundModel', {
  model: z
    .object({
      id: z.string().describe('what addresses take'),
      name: z.string().describe('as its owner calls it'),
    })
    .describe('which one'),
  reason: z
    .enum(['policy', 'named', 'replacement'])
    .describe('why it is there: the policy, a person, or in place of one that left'),
  evidence: LoopView.shape.models.element.shape.evidence
    .nullable()
    .describe('of the policy; null where it was named by hand'),
  since: z.iso.datetime().describe('when it came into the loop of the round'),
  until: z.iso.datetime().nullable().describe('when it left; null: it has not'),
  left: z.string().nullable().describe('why it left, in words'),
});
export type RoundModelView = z.infer<typeof RoundModelView>;

export const RoundCounts = namedObject('RoundCounts', {
  contexts: z.int().describe('that were put in'),
  activeContexts: z.int().describe('of them, those that annotators are shown'),
  annotators: z.int().describe('people with an example that stands'),
  examples: z.int().describe('that stand: retracted ones and gold checks are left out'),
  attested: z.int().describe('of them, those that were brought from elsewhere'),
  fooled: z.int().describe('of them, those that fooled the models they were written against'),
  validated: z.int().describe('of them, those that validators found correct'),
  validatedFooling: z.int().describe('of the validated, those that fooled'),
  pending: z.int().describe('examples on which validators have yet to agree'),
  rejected: z.int().describe('examples that validators found incorrect'),
  flagged: z.int().describe('examples that validators flagged'),
  undecided: z.int().describe('examples on which validators did not agree'),
  retracted: z.int().describe('examples that their authors took back'),
});
export type RoundCounts = z.infer<typeof RoundCounts>;

export const RoundView = namedObject('Round', {
  id: z.string().describe('of the round, among all'),
  task: z.string().describe('slug of the task'),
  number: z.int().describe('in the task, from 1'),
  state: z.enum(ROUND_STATES).describe('closing: nothing more is taken, and what follows is under way by itself'),
  imported: z.boolean().describe('it came as a file'),
  description: z.string().describe('Markdown'),
  turn: TurningRule.nullable().describe('the rule that closes it; null: it was imported'),
  conditions: z.array(RoundCondition).describe('arms, to which annotators are assigned at random'),
  shares: SplitShares.nullable().describe('of its datasets; null where it came as a file'),
  openedAt: z.iso.datetime().nullable().describe('when it was opened; null where it came as a file'),
  closedAt: z.iso.datetime().nullable().describe('since when nothing more is taken'),
  closedBy: z.string().nullable().describe('why it was closed: by a person, or what its rule saw'),
  closingStep: z.enum(CLOSING_STEPS).nullable().describe('of a round that is closing: what is done now'),
  pendingUntil: z.iso
    .datetime()
    .nullable()
    .describe('until when a closing round waits for validations; null: it does not'),
  models: z.array(RoundModelView).describe('that are, or were, in its loop, in the order they came'),
  counts: RoundCounts.describe('how far it is'),
  benchmarkVersion: z
    .int()
    .nullable()
    .describe('with which its datasets came into force; null before, and where nothing was validated'),
  releases: z
    .array(
      z.object({
        part: z.enum(['train', 'dev', 'test', 'fooling']).describe('fooling: what fooled, of test'),
        dataset: z.string().nullable().describe('the dataset that it is; null for train'),
        examples: z.int().describe('how many'),
        digest: z.string().describe('sha256 of its bytes; `sha256-salted:…` while it is a dataset that is not public'),
      }),
    )
    .describe('what it became, once it was closed'),
});
export type RoundView = z.infer<typeof RoundView>;

export const RoundList = namedObject('RoundList', {
  items: z.array(RoundView).describe('the oldest first'),
  nextCursor: z.string().optional().describe('cursor of the next page; absent on the last'),
});
export type RoundList = z.infer<typeof RoundList>;

/** The result of an upload of contexts or examples. */
export const LinesPut = namedObject('LinesPut', {
  added: z.int().describe('lines that are new'),
  present: z.int().describe('lines that were there already, the same'),
  total: z.int().describe('what the round has now'),
});
export type LinesPut = z.infer<typeof LinesPut>;

export const ContextView = namedObject('Context', {
  id: z.string().describe('what addresses take'),
  externalId: z.string().describe('as its line names it, or the number of the line'),
  content: z.record(z.string(), z.unknown()).describe('inputs that are given, and a prompt'),
  tags: z.array(z.string()).describe('of its line'),
  metadata: z.record(z.string(), z.unknown()).describe('whatever else its line has'),
  annotations: z.int().describe('that stand'),
  fooled: z.int().describe('of them, those that fooled'),
  skips: z.int().describe('people who skipped it'),
  flags: z.int().describe('people who found something wrong with it'),
  active: z.boolean().describe('whether annotators are shown it'),
});
export type ContextView = z.infer<typeof ContextView>;

export const ContextList = namedObject('ContextList', {
  items: z.array(ContextView).describe('in the order they came'),
  nextCursor: z.string().optional().describe('cursor of the next page; absent on the last'),
});
export type ContextList = z.infer<typeof ContextList>;

export const PatchContext = namedStrictObject('PatchContext', {
  active: z.boolean().describe('false: annotators are shown it no more'),
});
export type PatchContext = z.infer<typeof PatchContext>;
