import { COST_METRICS } from '@assay/contracts/metrics';
import { taskMetrics, type TaskDefinition } from '@assay/contracts/tasks';
import { BOARD_PARTS, type BoardDefinition, comparedTexts } from './benchmark-version.js';

/** The points per doubling of a cost for which the task sets no rate. */
const DEFAULT_RATE = 1;

/**
 * Returns the part of a definition that determines the board. Where exchange rates are fixed, it has
 * the rate and the reference of every cost, so that other defaults would not change a benchmark
 * version.
 */
export function boardPart(definition: TaskDefinition): BoardDefinition {
  const { exchangeRates: _rates, referenceCosts: _references, ...others } = definition;
  const { language, normalise } = comparedTexts(definition);
  const whole: Partial<Record<(typeof BOARD_PARTS)[number], unknown>> = {
    ...others,
    ...(definition.exchange === 'fixed' && fixedRates(definition)),
    // the board part has no output, so the metrics of ordered labels are written out
    ...(definition.output.type === 'label' && definition.output.ordered && { metrics: taskMetrics(definition) }),
    // absent where they are the default, so that a definition without them is equal
    language,
    normalise,
    strictProbabilities: definition.strictProbabilities === true ? true : undefined,
  };
  return Object.fromEntries(
    BOARD_PARTS.flatMap((part) => (whole[part] === undefined ? [] : [[part, whole[part]]])),
  ) as BoardDefinition;
}

function fixedRates({ exchangeRates, referenceCosts }: TaskDefinition) {
  const costs = Object.entries(COST_METRICS);
  return {
    exchangeRates: { ...Object.fromEntries(costs.map(([name]) => [name, DEFAULT_RATE])), ...exchangeRates },
    referenceCosts: {
      ...Object.fromEntries(costs.map(([name, { reference }]) => [name, reference])),
      ...referenceCosts,
    },
  };
}
