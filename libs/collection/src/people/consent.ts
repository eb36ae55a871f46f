import { User } from '@assay/identity';
import { newId } from '@assay/kernel';
import { Task } from '@assay/tasks';
import { defineEntity, p } from '@mikro-orm/core';

const consented = () => ({
  id: p.uuid().primary().onCreate(newId),
  task: () => p.manyToOne(Task).deleteRule('cascade'),
  user: () => p.manyToOne(User),
  /** The version that they agreed to; null if the task asked for none. */
  consentVersion: p.string().length(40).nullable(),
  licenceVersion: p.string().length(40).nullable(),
  /** The minimum age in years that they confirmed; null if the task asked for none. */
  minimumAge: p.integer().nullable(),
  /** True if they confirmed that they read the content warning. */
  warned: p.boolean(),
  createdAt: p.datetime().onCreate(() => new Date()),
});

const ConsentSchema = defineEntity({
  name: 'Consent',
  uniques: [{ properties: ['task', 'user'] }],
  properties: consented(),
});

/**
 * The consent that a user last gave for a task. Required before they write or validate examples in
 * it.
 */
export class Consent extends ConsentSchema.class {}
ConsentSchema.setClass(Consent);

const ConsentRecordSchema = defineEntity({
  name: 'ConsentRecord',
  indexes: [{ properties: ['task', 'user', 'createdAt'] }],
  properties: consented(),
});

/**
 * One row for each time a user gave consent. Rows are only added: the consent that applied to an
 * annotation is the newest row before it.
 */
export class ConsentRecord extends ConsentRecordSchema.class {}
ConsentRecordSchema.setClass(ConsentRecord);
