import { type CostMetric, isCostMetric } from '@assay/contracts/metrics';
import { type TaskDefinition, taskWeights } from '@assay/contracts/tasks';

/** True if throughput or a latency has a weight on the board of the task, or a bound for its loop. */
export function weighsCosts(definition: TaskDefinition): boolean {
  const bounded = Object.keys({ ...definition.loop.minimum, ...definition.loop.maximum });
  const weighed = Object.entries(taskWeights(definition)).flatMap(([name, weight]) => (weight > 0 ? [name] : []));
  return [...bounded, ...weighed].some((name) => isCostMetric(name) && isTimed(name));
}

/** Returns whether a cost is a wall time, or comes from one. */
const isTimed = (cost: CostMetric): boolean => cost !== 'cpu_time' && cost !== 'memory';
