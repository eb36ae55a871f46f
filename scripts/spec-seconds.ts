/**
 * Usual duration in seconds of a spec that starts a service and checks one thing, with two others
 * on two cores.
 */
const USUAL = 20;

/**
 * Approximate durations, in seconds, of the specs that differ from the usual one. With them all
 * lanes take about the same time.
 */
export const LONG_SPECS: Readonly<Record<string, number>> = {
  'test/e2e/anli.spec.ts': 45,
  'test/e2e/collection.spec.ts': 73,
  'test/e2e/dashboard-submit.spec.ts': 42,
  'test/e2e/dashboard.spec.ts': 315,
  'test/e2e/hatecheck.spec.ts': 5,
  'test/e2e/image-archive.spec.ts': 5,
  'test/e2e/redis.spec.ts': 53,
  'test/e2e/measures.spec.ts': 24,
  'test/e2e/onnx-runner.spec.ts': 7,
  'test/e2e/operations.spec.ts': 50,
  'test/e2e/perturbations.spec.ts': 23,
  'test/e2e/probes/probes.spec.ts': 260,
  'test/e2e/qa-predictions.spec.ts': 5,
  'test/e2e/sandbox-driver.spec.ts': 56,
  'test/e2e/up.spec.ts': 192,
  'test/faults/dockerd.spec.ts': 15,
  'test/faults/evaluators.spec.ts': 130,
  'test/faults/outages.spec.ts': 96,
};

export const secondsOf = (spec: string): number => LONG_SPECS[spec] ?? USUAL;
