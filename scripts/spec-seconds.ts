/** What a spec takes, beside two others on two cores, that starts a service and looks at one thing. */
const USUAL = 25;

/** Of the specs that take longer, about how many seconds: with these their lanes are made alike. */
export const LONG_SPECS: Readonly<Record<string, number>> = {
  'test/e2e/anli.spec.ts': 75,
  'test/e2e/bad-input.spec.ts': 200,
  'test/e2e/collection.spec.ts': 300,
  'test/e2e/dashboard-account.spec.ts': 50,
  'test/e2e/dashboard-admin.spec.ts': 50,
  'test/e2e/dashboard-annotate.spec.ts': 65,
  'test/e2e/dashboard-me.spec.ts': 45,
  'test/e2e/dashboard-model.spec.ts': 60,
  'test/e2e/dashboard-owner.spec.ts': 45,
  'test/e2e/dashboard-pages.spec.ts': 80,
  'test/e2e/durability.spec.ts': 415,
  'test/e2e/live-predictions.spec.ts': 55,
  'test/e2e/measures.spec.ts': 45,
  'test/e2e/onnx.spec.ts': 80,
  'test/e2e/operations.spec.ts': 80,
  'test/e2e/perturbations.spec.ts': 55,
  'test/e2e/probes/archives.spec.ts': 390,
  'test/e2e/probes/run-time.spec.ts': 515,
  'test/e2e/sandbox-driver.spec.ts': 105,
  'test/e2e/up.spec.ts': 180,
  'test/faults/backup.spec.ts': 165,
  'test/faults/deaths.spec.ts': 125,
  'test/faults/frozen.spec.ts': 100,
  'test/faults/outages.spec.ts': 140,
  'test/faults/queue.spec.ts': 195,
  'test/faults/storm.spec.ts': 45,
};

export const secondsOf = (spec: string): number => LONG_SPECS[spec] ?? USUAL;
