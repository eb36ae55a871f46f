import { Task } from '@assay/tasks';
import { defineEntity, p } from '@mikro-orm/core';
import { Annotation } from '../annotation.js';

const ExampleFingerprintSchema = defineEntity({
  name: 'ExampleFingerprint',
  indexes: [
    {
      name: 'example_fingerprint_bands',
      expression: `create index "example_fingerprint_bands" on "example_fingerprint" using gin ("bands")`,
    },
  ],
  properties: {
    annotation: () => p.oneToOne(Annotation).primary().deleteRule('cascade'),
    task: () => p.manyToOne(Task).deleteRule('cascade'),
    /** Of the text that was written: see `minhash.ts`. Each begins with the task, so that an index finds those of one task. */
    bands: p.array(),
  },
});

/** By what near-duplicates of an example are found among very many. */
export class ExampleFingerprint extends ExampleFingerprintSchema.class {}
ExampleFingerprintSchema.setClass(ExampleFingerprint);
