// For: percentiles of latencies.
export {
  joinedBins,
  latencyPercentiles,
  MINIMUM_SAMPLES,
  percentile,
  type LatencyPercentiles,
} from './latency-percentiles.js';
