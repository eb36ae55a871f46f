import type { CrowdPlatform, CrowdSessionState } from '@assay/contracts';
import { User } from '@assay/identity';
import { newId } from '@assay/kernel';
import { defineEntity, p } from '@mikro-orm/core';
import { CrowdLink } from './crowd-link.js';

const CrowdSessionSchema = defineEntity({
  name: 'CrowdSession',
  uniques: [{ properties: ['platform', 'assignment'] }],
  indexes: [{ properties: ['link'] }, { properties: ['user'] }, { properties: ['credential'] }],
  properties: {
    id: p.uuid().primary().onCreate(newId),
    link: () => p.manyToOne(CrowdLink).deleteRule('cascade'),
    /** The worker: the same in all sessions of a task. */
    user: () => p.manyToOne(User),
    platform: p.string().length(10).$type<CrowdPlatform>(),
    /** The platform's own ids. They leave in no export: only the owner of the task reads them, to pay. */
    worker: p.string().length(100),
    assignment: p.string().length(100),
    hit: p.string().length(100).nullable(),
    /** SHA-256 of the secret of the browser that started it; null: started before there were secrets, and not continued since. */
    secretHash: p.string().length(64).nullable(),
    /** Where finished work is sent; null on Prolific. */
    submitTo: p.string().length(500).nullable(),
    /** Whose token speaks for it now. */
    credential: p.uuid().nullable(),
    state: p.string().length(10).$type<CrowdSessionState>(),
    /** The test was passed, or there is none. */
    hasPassed: p.boolean(),
    /** Tries of the onboarding test. */
    attempts: p.integer().default(0),
    /** What was written counts up to here; null: it goes on. */
    endedAt: p.datetime().nullable(),
    early: p.boolean().default(false),
    /** What is due, in the currency of the link; null until it is finished. */
    paid: p.double().$type<number>().nullable(),
    /** Written when it was finished. */
    examples: p.integer().nullable(),
    /** Proof for the worker. */
    code: p.string().length(64).nullable(),
    finishedAt: p.datetime().nullable(),
    createdAt: p.datetime().onCreate(() => new Date()),
  },
});

/** A worker's assignment: what they write in it, and what they are paid for it, once. */
export class CrowdSession extends CrowdSessionSchema.class {}
CrowdSessionSchema.setClass(CrowdSession);
