import type { Question } from '../ui/dialogs/confirm-dialog.js';

export type ModelAction =
  'rerun' | 'measure' | 'cancel' | 'publish' | 'withdraw' | 'archive' | 'leave-loop' | 'join-loop';

/** The confirmation dialogs for the actions of a model's owner. */
export const ACTION_QUESTIONS: Readonly<Record<ModelAction, Question>> = {
  rerun: {
    title: $localize`Evaluate it again?`,
    text: $localize`What failed, was cancelled or has withdrawn answers is evaluated again with the same bytes. All other scores stay as they are. The run waits in the queue like any other.`,
    action: $localize`Try again`,
  },
  measure: {
    title: $localize`Measure its costs once more?`,
    text: $localize`It runs once more, and its throughput, latency and memory become the medians of all measurements. Its scores and its CPU time stay as they are.`,
    action: $localize`Measure again`,
  },
  cancel: {
    title: $localize`Stop its evaluation?`,
    text: $localize`What waits or runs of it is stopped. Datasets that are scored already stay scored, and you can evaluate the rest later.`,
    action: $localize`Stop it`,
  },
  publish: {
    title: $localize`Publish it?`,
    text: $localize`It comes onto the board, for everybody to see, as soon as it is complete: with its scores, its costs and your name. You can withdraw it later; older boards keep it.`,
    action: $localize`Publish`,
  },
  withdraw: {
    title: $localize`Withdraw it?`,
    text: $localize`It leaves the board, the loop and every open round. Its scores stay, boards of the past keep it, and it still counts for your quota. You can publish it again.`,
    action: $localize`Withdraw`,
  },
  archive: {
    title: $localize`Remove its bytes?`,
    text: $localize`Its artifact is deleted here. Its scores stay. On datasets that come later it is incomplete, until you upload the very same bytes again: keep them.`,
    action: $localize`Remove the bytes`,
    tone: 'bad',
  },
  'leave-loop': {
    title: $localize`Keep it out of the loop?`,
    text: $localize`It leaves the rounds that are open now, and others take its place. Nobody can talk with it any more. Its rank stays as it is.`,
    action: $localize`Keep it out`,
  },
  'join-loop': {
    title: $localize`Let it into the loop?`,
    text: $localize`Where the task's policy picks it, people write examples against it while a round is open, and see what it answers.`,
    action: $localize`Let it in`,
  },
};
