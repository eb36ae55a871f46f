import { describe, expect, it } from '@jest/globals';
import { EngineLayers } from './engine-layers.js';

/** An engine with images whose layers are letters, lowest first. */
function engineWith(images: Record<string, string>) {
  const inspected: string[] = [];
  const engine = {
    images: () => Promise.resolve(Object.keys(images)),
    image: (id: string) => {
      inspected.push(id);
      return Promise.resolve({ RootFS: { Layers: images[id]!.split('') } } as never);
    },
  };
  return { engine, inspected };
}

describe('the layers of an engine', () => {
  it.each([
    ['', 0],
    ['abc', 3],
    ['abcd', 3],
    ['abx', 2],
    ['xbc', 0],
    // another chain: the engine has b above a only
    ['b', 0],
    ['xy', 0],
    ['ef', 2],
  ])('has the lowest of %p: %p', async (layers, count) => {
    const { engine } = engineWith({ one: 'abc', two: 'ef', empty: '' });
    expect(await new EngineLayers(engine).present(layers.split(''))).toBe(count);
  });

  it('are those that are there now, and each image is inspected once', async () => {
    const images: Record<string, string> = { one: 'abc' };
    const { engine, inspected } = engineWith(images);
    const layers = new EngineLayers(engine);
    expect(await layers.present('abcd'.split(''))).toBe(3);
    images['two'] = 'abcd';
    expect(await layers.present('abcd'.split(''))).toBe(4);
    delete images['two'];
    delete images['one'];
    expect(await layers.present('abcd'.split(''))).toBe(0);
    expect(inspected).toEqual(['one', 'two']);
  });
});
