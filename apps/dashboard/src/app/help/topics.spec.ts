import { MEASURES, METRICS } from '@assay/scoring/metrics';
import { describe, expect, it } from '@jest/globals';
import { TERMS } from '../ui/terms/terms.js';
import { TOPIC_GROUPS } from './topics.js';

const topics = TOPIC_GROUPS.flatMap((group) => group.topics.map(({ term }) => term));

describe('the help', () => {
  it.each([...METRICS, ...MEASURES].map(({ name }) => name))('explains %s', (name) => expect(topics).toContain(name));

  it('says each thing once, and has an anchor for every explanation', () =>
    expect([...topics].sort()).toEqual(Object.keys(TERMS).sort()));

  it('has no anchor twice', () => {
    const anchors = [...TOPIC_GROUPS.map(({ id }) => id), ...topics, 'submit', 'keys'];
    expect(anchors).toHaveLength(new Set(anchors).size);
  });
});
