import { User } from '@assay/identity';
import { newId } from '@assay/kernel';
import { Task } from '@assay/tasks';
import { defineEntity, p } from '@mikro-orm/core';

const ConsentSchema = defineEntity({
  name: 'Consent',
  uniques: [{ properties: ['task', 'user'] }],
  properties: {
    id: p.uuid().primary().onCreate(newId),
    task: () => p.manyToOne(Task).deleteRule('cascade'),
    user: () => p.manyToOne(User),
    /** Version that they agreed to; null where the task asked for none. */
    consentVersion: p.string().length(40).nullable(),
    licenceVersion: p.string().length(40).nullable(),
    /** The age that they said they have at least; null where the task asked for none. */
    minimumAge: p.integer().nullable(),
    /** That they have read the content warning. */
    warned: p.boolean(),
    createdAt: p.datetime().onCreate(() => new Date()),
  },
});

/** What somebody agreed to before their first example of a task: the newest they agreed to. */
export class Consent extends ConsentSchema.class {}
ConsentSchema.setClass(Consent);
