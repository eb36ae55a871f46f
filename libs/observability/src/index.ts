// For: seeing what a process does: metrics, log lines, traces, health, the outcome of a command.
// Knows: Prometheus, JSON lines, OpenTelemetry.
// Must not know: any rule of the domain.
export { ClaimMetrics, type ClaimOutcome } from './claim-metrics.js';
export { failpoint, type Failpoint } from './failpoint.js';
export { failedProbes, healthParts, type HealthParts, type HealthProbes } from './health-check.js';
export { createLogger, withLogFields } from './logger.js';
export { mayReadMetrics, MetricsServer, type MetricsServerSettings } from './metrics-server.js';
export { Metrics } from './metrics.js';
export { runOperatorCommand } from './operator-command.js';
export { continued, currentOrigin } from './origin.js';
export { RepeatedWork } from './repeated-work.js';
export { exitAfterShutdown } from './shutdown.js';
export { traced, tracedSince, tracer, Tracing } from './tracing.js';
