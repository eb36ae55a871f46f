import { planningPlan } from '@assay/api-client/fetch';
import { type Command, InvalidArgumentError } from 'commander';
import { contentOf } from '../connection/api.js';
import { planText } from '../format/plan-text.js';
import { commandForTask, printing, type Session } from './command.js';

interface PlanOptions {
  readonly detect: number;
}

const USUAL_POINTS = 2;

export const planCommand = (): Command =>
  commandForTask('plan', 'show how many examples the next round needs to tell the top models apart')
    .option(
      '--detect <difference>',
      'the difference in performance to detect: in points where the metric is a ratio, else in its unit',
      positiveNumber,
      USUAL_POINTS,
    )
    .addHelpText('after', '\nExample:\n  assay plan nli --detect 2')
    .action(
      printing(
        ({ api }: Session, slug: string, { detect }: PlanOptions) =>
          contentOf(planningPlan({ client: api, path: { slug }, query: { detect } })),
        (plan) => planText(plan),
      ),
    );

function positiveNumber(text: string): number {
  const value = Number(text);
  if (text.trim() !== '' && value > 0 && Number.isFinite(value)) return value;
  throw new InvalidArgumentError('Expected a number above 0, such as 2 or 0.5.');
}
