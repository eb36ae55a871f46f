// For: seeing what a process does: metrics, log lines, traces, health.
// Knows: Prometheus, JSON lines, OpenTelemetry.
// Must not know: any rule of the domain.
export { HealthChecks, type HealthCheck, type HealthReport, type HealthResult } from './health-check.js';
export {
  type LogLevelName,
  type LogFormat,
  StructuredLogger,
  type StructuredLoggerOptions,
} from './structured-logger.js';
export { logFields, withLogFields } from './log-fields.js';
export { Metrics } from './metrics.js';
export { mayReadMetrics } from './metrics-token.js';
export { continued, currentOrigin } from './origin.js';
export { failSpan, traced, tracedSince, tracer, Tracing, type TracingOptions } from './tracing.js';
