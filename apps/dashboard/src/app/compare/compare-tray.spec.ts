import { beforeEach, describe, expect, it } from '@jest/globals';
import { CompareTray, TRAY_ROOM } from './compare-tray.js';

const model = (id: string, slug = 'nli') => ({ slug, id, name: `model ${id}` });

describe('CompareTray', () => {
  beforeEach(() => sessionStorage.clear());

  it('keeps what was picked through a reload of the page', () => {
    const tray = new CompareTray();
    tray.add(model('a'));
    tray.add(model('b'));

    expect(new CompareTray().models()).toEqual([model('a'), model('b')]);
  });

  it('takes a model once, and out again', () => {
    const tray = new CompareTray();
    tray.add(model('a'));
    tray.add(model('a'));
    expect(tray.models()).toHaveLength(1);

    tray.toggle(model('a'));
    expect(tray.models()).toEqual([]);
  });

  it('is full with six', () => {
    const tray = new CompareTray();
    for (const id of ['a', 'b', 'c', 'd', 'e', 'f', 'g']) tray.add(model(id));

    expect(tray.isFull()).toBe(true);
    expect(tray.models()).toHaveLength(TRAY_ROOM);
    expect(tray.has('g')).toBe(false);
  });

  it('keeps the models of each task apart', () => {
    const tray = new CompareTray();
    tray.add(model('a'));
    tray.add(model('x', 'qa'));
    tray.add(model('b'));
    expect(tray.groups().map(({ slug, models }) => [slug, models.map(({ id }) => id)])).toEqual([
      ['nli', ['a', 'b']],
      ['qa', ['x']],
    ]);

    tray.clear('nli');
    expect(tray.models()).toEqual([model('x', 'qa')]);
  });

  it.each(['not json', '{"a":1}', '[{"id":1}]'])('begins empty where %s is stored', (text) => {
    sessionStorage.setItem('compare', text);
    expect(new CompareTray().models()).toEqual([]);
  });
});
