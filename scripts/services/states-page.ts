import { ASSIGNMENT_TRANSITIONS } from '@assay/collection/annotating';
import { CROWD_SESSION_TRANSITIONS } from '@assay/collection/crowds';
import { EVALUATION_TRANSITIONS } from '@assay/evaluation/evaluations';
import { EVALUATOR_TRANSITIONS } from '@assay/evaluation/evaluators';
import { RUN_TRANSITIONS } from '@assay/evaluation/runs';
import { finalStates, type TransitionTable } from '@assay/kernel';
import { WEBHOOK_DELIVERY_TRANSITIONS } from '@assay/notifications/webhooks';
import { DEPLOYMENT_TRANSITIONS } from '@assay/serving';
import { MODEL_TRANSITIONS } from '@assay/submissions';
import { ARTIFACT_TRANSITIONS } from '@assay/submissions/artifacts';
import { ROUND_TRANSITIONS } from '@assay/tasks';

/** The aggregates, with the states in which they are created. */
const aggregates = [
  {
    title: 'Model',
    about:
      'While a model is not cancelled, its state follows from its evaluations and its live run. A cancelled model stays cancelled until it is run again.',
    initial: ['awaiting-artifact'],
    table: MODEL_TRANSITIONS,
  },
  {
    title: 'Artifact',
    about:
      'The bytes of a submission. A refused artifact is admitted again where the limits of another task allow it. An archived one is received again when the same bytes are uploaded.',
    initial: ['received'],
    table: ARTIFACT_TRANSITIONS,
  },
  {
    title: 'Run',
    about:
      'An evaluator leases a queued run. If its lease expires, another evaluator may lease the run, or the reconciler returns it to the queue.',
    initial: ['queued'],
    table: RUN_TRANSITIONS,
  },
  {
    title: 'Evaluation',
    about:
      'One run specification on one dataset version. A scored evaluation is scored again when the definition of the task changes, and is queued again when its answers are withdrawn.',
    initial: ['queued'],
    table: EVALUATION_TRANSITIONS,
  },
  {
    title: 'Deployment',
    about:
      'A target model that an evaluator serves. An expired lease may be claimed again, or returned to the queue. A deployment that no loop needs is stopped.',
    initial: ['wanted'],
    table: DEPLOYMENT_TRANSITIONS,
  },
  {
    title: 'Round',
    about: 'A round closes in steps and is `closed` after the last one. An imported round begins as `closed`.',
    initial: ['open', 'closed'],
    table: ROUND_TRANSITIONS,
  },
  {
    title: 'Assignment',
    about: 'A context for which a person writes an example. It expires when another person gets the context.',
    initial: ['open'],
    table: ASSIGNMENT_TRANSITIONS,
  },
  {
    title: 'Crowd session',
    about: 'The assignment of a crowd worker. It ends when the worker starts another one, and can still be finished.',
    initial: ['onboarding', 'working'],
    table: CROWD_SESSION_TRANSITIONS,
  },
  {
    title: 'Webhook delivery',
    about: 'One event for one webhook. A person may have a delivery sent again that was sent or failed.',
    initial: ['waiting'],
    table: WEBHOOK_DELIVERY_TRANSITIONS,
  },
  {
    title: 'Registered evaluator',
    about: 'The registration of an evaluator. The token of a removed one is refused. Its name can be registered again.',
    initial: ['active'],
    table: EVALUATOR_TRANSITIONS,
  },
];

/** Returns a Mermaid state diagram of a transition table. */
export function stateDiagram(table: TransitionTable<string>, initial: readonly string[]): string {
  const named = (state: string): string => state.replaceAll('-', '_');
  const aliases = Object.keys(table).filter((state) => named(state) !== state);
  return [
    'stateDiagram-v2',
    ...aliases.map((state) => `  state "${state}" as ${named(state)}`),
    ...initial.map((state) => `  [*] --> ${named(state)}`),
    ...Object.entries(table).flatMap(([from, following]) => following.map((to) => `  ${named(from)} --> ${named(to)}`)),
    ...finalStates(table).map((state) => `  ${named(state)} --> [*]`),
  ].join('\n');
}

/** Returns the page of the documentation that shows which states may follow each other. */
export function statesPage(): string {
  const sections = aggregates.map(
    ({ title, about, initial, table }) =>
      `## ${title}\n\n${about}\n\n\`\`\`mermaid\n${stateDiagram(table, initial)}\n\`\`\`\n`,
  );
  return `<!-- npm run generate writes this page from the transition tables -->

# States

The legal transitions are tables in the code (\`RUN_TRANSITIONS\` and so on). Repositories change a state by an
update that is conditional on the states before it, so that a change that is not in these diagrams has no
effect.

${sections.join('\n')}`;
}
