/** An action of a page that a key triggers. */
export interface KeyBinding {
  /** The name of the key as `keyOf` returns it. */
  readonly key: string;
  /** The description in the list of shortcuts. Empty if the list leaves it out. */
  readonly words: string;
  /** Undefined if the action is not available at the moment. */
  readonly run?: (() => void) | undefined;
}

type KeyPress = Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'altKey' | 'repeat' | 'isComposing' | 'target'>;

export const SEND = 'Ctrl+Enter';

/**
 * Returns the name of a pressed key as bindings use it: `Ctrl+Enter` (also for Command), `Escape`,
 * or one character. Null if the page must ignore the key, because it types into a field, belongs to
 * the browser, or is held down.
 */
export function keyOf({ key, ctrlKey, metaKey, altKey, repeat, isComposing, target }: KeyPress): string | null {
  if (repeat || isComposing) return null;
  if (key === 'Enter' && (ctrlKey || metaKey)) return SEND;
  if (ctrlKey || metaKey || altKey) return null;
  if (key === 'Escape') return key;
  // lower case, so that caps lock makes no difference
  return key.length === 1 && !isTypingIn(target) ? key.toLowerCase() : null;
}

const WITHOUT_TEXT = new Set(['radio', 'checkbox', 'button', 'submit', 'reset', 'range', 'file']);

/** Returns whether keys type into the focused element. */
export function isTypingIn(target: EventTarget | null): boolean {
  if (target instanceof HTMLInputElement) return !WITHOUT_TEXT.has(target.type);
  return target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement;
}

/** Removes the focus from a field, so that single-character shortcuts work. */
export function leaveField(): void {
  if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
}

const STORED = 'single-keys';

/**
 * Returns whether single-character shortcuts are on. People who use speech input or hit keys by
 * accident turn them off (WCAG 2.1.4).
 */
export const hasSingleKeys = (storage: Pick<Storage, 'getItem'>): boolean => storage.getItem(STORED) !== 'off';

export const setSingleKeys = (storage: Pick<Storage, 'setItem'>, on: 'on' | 'off'): void => storage.setItem(STORED, on);
