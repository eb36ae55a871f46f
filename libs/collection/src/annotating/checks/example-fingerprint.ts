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
    /**
     * LSH band keys of the written text: see `bandsOf`. Each key covers the task's ID, so the index
     * only matches examples of the same task.
     */
    bands: p.array(),
  },
});

/** The fingerprint of an example, by which an index finds its near-duplicates. */
export class ExampleFingerprint extends ExampleFingerprintSchema.class {}
ExampleFingerprintSchema.setClass(ExampleFingerprint);
