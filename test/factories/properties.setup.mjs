import fc from 'fast-check';

// the same cases in every run, so that a test that passed can only fail because of a change; set
// another seed to search further
fc.configureGlobal({
  seed: Number(process.env['ASSAY_PROPERTY_SEED'] ?? 20_261_124),
  numRuns: Number(process.env['ASSAY_PROPERTY_RUNS'] ?? 100),
});
