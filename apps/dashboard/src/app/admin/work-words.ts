import type { QueueStates, RunningSandboxes, StorageReport } from '@assay/api-client/angular';

/** The description of each activity of a run or a deployment, in the user interface. */
export const WORK_NAMES: Readonly<Record<RunningSandboxes['items'][number]['does'], string>> = {
  admission: $localize`is inspected and rebuilt`,
  evaluation: $localize`is evaluated`,
  measures: $localize`has its speed and memory measured`,
  wanted: $localize`is to be served in the loop`,
  starting: $localize`starts, to be served in the loop`,
  ready: $localize`is served in the loop`,
  stopped: $localize`is stopped`,
  failed: $localize`was given up`,
};

export const STAGE_NAMES: Readonly<Record<QueueStates['runs'][number]['stage'], string>> = {
  admission: $localize`Admission: the artifact is inspected and rebuilt`,
  evaluation: $localize`Evaluation: datasets are answered`,
};

export const QUEUE_NAMES: Readonly<Record<QueueStates['queues'][number]['name'], string>> = {
  predictions: $localize`Predictions files`,
  answers: $localize`Answers to score`,
  sign: $localize`Results to sign`,
  publish: $localize`Boards to publish`,
  score: $localize`Scores to recompute`,
  round: $localize`Rounds to turn or close`,
  mail: $localize`Mails to send`,
  webhook: $localize`Events to post to webhooks`,
};

export const BLOB_WORDS: Readonly<
  Record<StorageReport['blobs'][number]['kind'], { readonly name: string; readonly about: string }>
> = {
  artifacts: { name: $localize`Artifacts`, about: $localize`models as they were uploaded` },
  datasets: { name: $localize`Datasets`, about: $localize`examples that models are evaluated on` },
  releases: { name: $localize`Releases`, about: $localize`what closed rounds became` },
  predictions: { name: $localize`Predictions`, about: $localize`what models answered` },
  resamples: { name: $localize`Resamples`, about: $localize`bootstrap values behind the intervals` },
  other: { name: $localize`Other`, about: $localize`on their way, or named by nothing any more` },
};
