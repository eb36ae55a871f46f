import { describe, expect, it } from '@jest/globals';
import { hasSingleKeys, isTypingIn, keyOf, setSingleKeys } from './keys.js';

const press = (key: string, more: KeyboardEventInit = {}, target: EventTarget = document.body): KeyboardEvent => {
  const event = new KeyboardEvent('keydown', { key, ...more });
  target.dispatchEvent(event);
  return event;
};
const field = document.createElement('input');

describe('keyOf', () => {
  it.each([
    ['a letter', press('n'), 'n'],
    ['a letter with caps lock', press('N'), 'n'],
    ['the question mark', press('?'), '?'],
    ['a digit', press('3'), '3'],
    ['escape, also from a field', press('Escape', {}, field), 'Escape'],
    ['control and enter, also from a field', press('Enter', { ctrlKey: true }, field), 'Ctrl+Enter'],
    ['command and enter', press('Enter', { metaKey: true }), 'Ctrl+Enter'],
  ])('takes %s', (_, pressed, key) => expect(keyOf(pressed)).toBe(key));

  it.each([
    ['a letter that is written', press('n', {}, field)],
    ['what belongs to the browser', press('f', { ctrlKey: true })],
    ['what belongs to the window', press('s', { altKey: true })],
    ['a key that is held down', press('n', { repeat: true })],
    ['enter while a word is composed', press('Enter', { ctrlKey: true, isComposing: true })],
    ['keys without a character', press('ArrowDown')],
  ])('leaves alone %s', (_, pressed) => expect(keyOf(pressed)).toBeNull());
});

describe('isTypingIn', () => {
  const element = (html: string): Element => {
    document.body.innerHTML = html;
    return document.body.firstElementChild!;
  };

  it.each(['<textarea></textarea>', '<input>', '<input type="number">', '<select></select>'])('%s', (html) =>
    expect(isTypingIn(element(html))).toBe(true),
  );

  it.each(['<input type="radio">', '<input type="checkbox">', '<button></button>', '<h1></h1>'])('not in %s', (html) =>
    expect(isTypingIn(element(html))).toBe(false),
  );
});

it('remembers that single keys are turned off', () => {
  expect(hasSingleKeys(localStorage)).toBe(true);
  setSingleKeys(localStorage, 'off');
  expect(hasSingleKeys(localStorage)).toBe(false);
  setSingleKeys(localStorage, 'on');
  expect(hasSingleKeys(localStorage)).toBe(true);
});
