/** Seconds of a spec, next to two others on two cores, that starts a service and looks at one thing. */
const USUAL = 20;

/** About how many seconds the longer specs take: with these all lanes take about the same time. */
export const LONG_SPECS: Readonly<Record<string, number>> = {
  'test/e2e/anli.spec.ts': 50,
  'test/e2e/collection.spec.ts': 65,
  'test/e2e/dashboard.spec.ts': 330,
  'test/e2e/dashboard-submit.spec.ts': 55,
  'test/e2e/live-predictions.spec.ts': 50,
  'test/e2e/measures.spec.ts': 50,
  'test/e2e/operations.spec.ts': 55,
  'test/e2e/operations-redis.spec.ts': 45,
  'test/e2e/perturbations.spec.ts': 45,
  'test/e2e/probes/probes.spec.ts': 250,
  'test/e2e/sandbox-driver.spec.ts': 65,
  'test/e2e/up.spec.ts': 95,
  'test/faults/evaluators.spec.ts': 160,
  'test/faults/outages.spec.ts': 90,
};

export const secondsOf = (spec: string): number => LONG_SPECS[spec] ?? USUAL;
