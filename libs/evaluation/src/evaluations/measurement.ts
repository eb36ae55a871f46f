import type { Measures } from '@assay/contracts/metrics';
import { newId } from '@assay/kernel';
import { RunSpecification } from '@assay/submissions';
import { Task } from '@assay/tasks';
import { defineEntity, p } from '@mikro-orm/core';
import { Evaluator } from '../evaluators/evaluator.js';

const MeasurementSchema = defineEntity({
  name: 'Measurement',
  indexes: [
    { properties: ['specification', 'task', 'hardware'] },
    {
      name: 'measurement_own_evaluator',
      expression: `create index "measurement_own_evaluator" on "measurement" ("evaluator_id") where "evaluator_id" is not null`,
    },
  ],
  properties: {
    id: p.uuid().primary().onCreate(newId),
    specification: () => p.manyToOne(RunSpecification),
    task: () => p.manyToOne(Task),
    /** The run that took the measurement. A run takes one. */
    run: p.uuid().unique(),
    /** The evaluator that took it, if it belongs to a user. Null: one of the service, or not known. */
    evaluator: () => p.manyToOne(Evaluator).deleteRule('set null').nullable(),
    /**
     * Hardware class: CPU model, number of CPUs, runtime. Only costs of the same class are
     * comparable.
     */
    hardware: p.string().length(200),
    measures: p.json<Measures>(),
    createdAt: p.datetime().onCreate(() => new Date()),
  },
});

/**
 * The costs of a run specification in one run on a task. Several measurements give a median and a
 * spread.
 */
export class Measurement extends MeasurementSchema.class {}
MeasurementSchema.setClass(Measurement);
