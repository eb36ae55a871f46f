/** What a spec takes that starts a service and looks at one thing. */
const USUAL = 20;

/** Of the specs that take longer, about how many seconds: with these their lanes are made alike. */
export const LONG_SPECS: Readonly<Record<string, number>> = {
  'test/e2e/anli.spec.ts': 55,
  'test/e2e/bad-input.spec.ts': 85,
  'test/e2e/collection.spec.ts': 190,
  'test/e2e/dashboard-me.spec.ts': 48,
  'test/e2e/dashboard-owner.spec.ts': 45,
  'test/e2e/dashboard-pages.spec.ts': 44,
  'test/e2e/durability.spec.ts': 260,
  'test/e2e/onnx.spec.ts': 45,
  'test/e2e/operations.spec.ts': 47,
  'test/e2e/probes/archives.spec.ts': 150,
  'test/e2e/probes/run-time.spec.ts': 320,
  'test/e2e/sandbox-driver.spec.ts': 84,
  'test/e2e/up.spec.ts': 100,
  'test/faults/backup.spec.ts': 105,
  'test/faults/deaths.spec.ts': 85,
  'test/faults/frozen.spec.ts': 85,
  'test/faults/outages.spec.ts': 115,
  'test/faults/queue.spec.ts': 165,
};

export const secondsOf = (spec: string): number => LONG_SPECS[spec] ?? USUAL;
