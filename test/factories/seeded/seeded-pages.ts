import type { DashboardPage } from '../../../scripts/services/dashboard-pages.js';
import type { SeededService } from './seeded-service.js';
import * as tasks from './seeded-tasks.js';

/**
 * Returns the pages of a seeded service that show states of particular tasks, in addition to the
 * pages that every task has.
 */
export function seededPages({ failed, tone }: SeededService): readonly DashboardPage[] {
  const { SARCASM, TOXICITY, EMPTY, EMPTY_ROUND, HEADLINES, ONE_MODEL, ODD, HEBREW, REVIEWS, GRADES } = tasks;
  const board = ({ slug }: { readonly slug: string }) => ({
    name: `${slug}-board`,
    path: `/tasks/${slug}/leaderboard`,
  });
  const overview = ({ slug }: { readonly slug: string }) => ({ name: `${slug}-overview`, path: `/tasks/${slug}` });
  const rounds = ({ slug }: { readonly slug: string }) => ({ name: `${slug}-rounds`, path: `/tasks/${slug}/rounds` });
  const data = ({ slug }: { readonly slug: string }) => ({ name: `${slug}-data`, path: `/tasks/${slug}/data` });
  return [
    ...[SARCASM, EMPTY, HEADLINES, ONE_MODEL, ODD, HEBREW, tasks.READING, tasks.TRANSLATION, GRADES].flatMap((task) => [
      overview(task),
      board(task),
    ]),
    ...[TOXICITY, REVIEWS, tasks.TOPICS].map(board),
    ...[EMPTY, EMPTY_ROUND, ODD].flatMap((task) => [rounds(task), data(task)]),
    { name: 'sarcasm-by-accuracy', path: `/tasks/${SARCASM.slug}/leaderboard?weights=cpu_time:0,memory:0` },
    { name: 'board-filtered-away', path: `/tasks/${ONE_MODEL.slug}/leaderboard?kind=onnx` },
    { name: 'tone-overview', path: `/tasks/${tone.slug}` },
    { name: 'tone-round-open', path: `/tasks/${tone.slug}/rounds/4` },
    { name: 'tone-round-closed', path: `/tasks/${tone.slug}/rounds/3` },
    { name: 'toxicity-annotate', path: `/tasks/${TOXICITY.slug}/annotate`, as: 'annotator' },
    { name: 'reading-annotate', path: `/tasks/${tasks.READING.slug}/annotate`, as: 'annotator' },
    { name: 'annotate-signed-out', path: `/tasks/${TOXICITY.slug}/annotate` },
    { name: 'empty-annotate', path: `/tasks/${EMPTY.slug}/annotate`, as: 'annotator' },
    { name: 'submit-choice', path: '/submit', as: 'annotator' },
    { name: 'no-such-task', path: '/tasks/nowhere/leaderboard' },
    ...Object.entries(failed).map(
      ([code, id]) =>
        ({ name: `failed-${code}`, path: `/tasks/${TOXICITY.slug}/models/${id}`, as: 'administrator' }) as const,
    ),
  ];
}
