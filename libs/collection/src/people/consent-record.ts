import { User } from '@assay/identity';
import { newId } from '@assay/kernel';
import { Task } from '@assay/tasks';
import { defineEntity, p } from '@mikro-orm/core';

const ConsentRecordSchema = defineEntity({
  name: 'ConsentRecord',
  indexes: [{ properties: ['task', 'user', 'createdAt'] }],
  properties: {
    id: p.uuid().primary().onCreate(newId),
    task: () => p.manyToOne(Task).deleteRule('cascade'),
    user: () => p.manyToOne(User),
    consentVersion: p.string().length(40).nullable(),
    licenceVersion: p.string().length(40).nullable(),
    minimumAge: p.integer().nullable(),
    warned: p.boolean(),
    createdAt: p.datetime().onCreate(() => new Date()),
  },
});

/**
 * One row for each time a user gave consent. Rows are only added: the consent that applied to an
 * annotation is the newest row before it.
 */
export class ConsentRecord extends ConsentRecordSchema.class {}
ConsentRecordSchema.setClass(ConsentRecord);
