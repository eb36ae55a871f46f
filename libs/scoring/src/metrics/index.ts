// For: the registry of metrics and of measures.
export { NO_INTERVAL_REASONS } from '../estimate.js';
export { MEASURES, medianOf, standardDeviation } from '../measures.js';
export {
  contextOf,
  type Direction,
  DIRECTIONS,
  type ExampleMetric,
  OUTPUT_TYPES,
  type OutputType,
  type Unit,
} from '../metric.js';
export { chrf } from './chrf.js';
export { exactMatch } from './exact-match.js';
export { findMetric, metricNamed, METRICS, metricsFor, type PerformanceMetric } from './registry.js';
export { squadF1 } from './squad-f1.js';
export { firstSpan, lengthOf, type Span, type Spans } from './spans.js';
export { textSignatures } from './text-signatures.js';
