import { createReadStream } from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { sliceFields, type TaskDefinition, taskMetrics } from '@assay/contracts/tasks';
import type { Evaluation } from '@assay/evaluation/evaluations';
import { compareAnswers, JointAnswers, pairwiseDifferences } from '@assay/scoring/comparison';
import { pairSpreads } from '@assay/scoring/planner';
import type { DatasetVersion } from '@assay/tasks/datasets';
import { spansOf } from '@assay/tasks/examples';
import { answeredRows, AnswersUnreadable } from './answered-rows.js';

/** The answers to compare, as a message to a thread. */
export interface DifferenceWork {
  /**
   * The pairs that are compared in the performance, by the numbers of their evaluations. Default: two
   * evaluations are compared in all metrics of the task, by slice.
   */
  readonly pairs?: readonly (readonly [number, number])[];
  /** True for the spread of every pair in the performance. */
  readonly spreads?: true;
  readonly definition: TaskDefinition;
  readonly version: Pick<DatasetVersion, 'digest' | 'content' | 'examples' | 'repeats'>;
  /** True for a collected round, whose examples are clustered by annotator and context. */
  readonly collected: boolean;
  readonly evaluations: readonly Pick<Evaluation, 'predictions'>[];
  /** The path of each blob by its digest. */
  readonly files: Readonly<Record<string, string>>;
}

/** The result of a thread. Threads do not preserve the class of an error. */
export type DifferenceResult = { readonly found: object } | { readonly unreadable: string };

/** Compares the stored answers to one dataset version. Runs in a worker thread: see difference-threads.ts. */
export async function computeDifferences(work: DifferenceWork): Promise<DifferenceResult> {
  const { pairs, spreads, definition, version } = work;
  try {
    const answers = await readAnswers(work);
    if (spreads) return { found: await pairSpreads(answers, definition.performance, version.digest, nextTurn) };
    const found = pairs
      ? await pairwiseDifferences(answers, definition.performance, pairs, version.digest, nextTurn)
      : await compareAnswers(answers, version.digest, nextTurn);
    return { found };
  } catch (error) {
    if (error instanceof AnswersUnreadable) return { unreadable: error.message };
    throw error;
  }
}

async function readAnswers(work: DifferenceWork): Promise<JointAnswers> {
  const { definition, version, collected, evaluations, files } = work;
  const { output, performance, language, normalise } = definition;
  const isWhole = !work.pairs && !work.spreads;
  const answers = new JointAnswers({
    models: evaluations.length,
    output: output.type,
    ...(output.type === 'label' && { labels: output.labels }),
    language,
    normalise,
    metrics: isWhole ? taskMetrics(definition) : [performance],
    slices: isWhole ? sliceFields(definition).map(({ field }) => field) : [],
  });
  const blobs = {
    open: (digest: string) => createReadStream(files[digest]!),
    path: (digest: string) => Promise.resolve(files[digest]!),
  };
  for await (const group of answeredRows(blobs, definition, version, evaluations, collected)) {
    for (const [place, row] of group.rows.entries()) {
      const { gold, cluster, secondCluster = null, slices } = row;
      const given = group.answers.map((each) => {
        const answer = each[place] ?? null;
        return {
          predicted: answer?.text ?? null,
          probabilities: answer?.probabilities ?? null,
          spans: spansOf(row, answer),
        };
      });
      answers.add({ gold, cluster, secondCluster, slices, answers: given });
    }
  }
  return answers;
}
