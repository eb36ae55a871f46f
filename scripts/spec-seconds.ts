/** What a spec takes that starts a service and looks at one thing. */
const USUAL = 20;

/** Of the specs that take longer, about how many seconds: with these their lanes are made alike. */
export const LONG_SPECS: Readonly<Record<string, number>> = {
  'test/e2e/anli.spec.ts': 62,
  'test/e2e/bad-input.spec.ts': 241,
  'test/e2e/collection.spec.ts': 204,
  'test/e2e/dashboard-me.spec.ts': 48,
  'test/e2e/dashboard-owner.spec.ts': 45,
  'test/e2e/dashboard-pages.spec.ts': 44,
  'test/e2e/durability.spec.ts': 288,
  'test/e2e/onnx.spec.ts': 51,
  'test/e2e/operations.spec.ts': 47,
  'test/e2e/probes/archives.spec.ts': 385,
  'test/e2e/probes/run-time.spec.ts': 376,
  'test/e2e/sandbox-driver.spec.ts': 84,
  'test/e2e/up.spec.ts': 100,
  'test/faults/backup.spec.ts': 151,
  'test/faults/deaths.spec.ts': 97,
  'test/faults/frozen.spec.ts': 224,
  'test/faults/outages.spec.ts': 126,
  'test/faults/queue.spec.ts': 183,
};

export const secondsOf = (spec: string): number => LONG_SPECS[spec] ?? USUAL;
