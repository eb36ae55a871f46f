/** Something that a key does on a page. */
export interface KeyBinding {
  /** As `keyOf` names it. */
  readonly key: string;
  /** What it does, for the list of keys. */
  readonly words: string;
  /** Undefined: not at the moment. */
  readonly run?: (() => void) | undefined;
}

export interface KeyPress {
  readonly key: string;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly altKey: boolean;
  readonly repeat: boolean;
  readonly isComposing: boolean;
  /** Whether the key would write into a field. */
  readonly isTyping: boolean;
}

export const SEND = 'Ctrl+Enter';

/**
 * The name of a pressed key as bindings know it: `Ctrl+Enter` (also with Command), `Escape`, or one character. Null: it is none of the page's,
 * because it writes, belongs to the browser, or is held down.
 */
export function keyOf({ key, ctrlKey, metaKey, altKey, repeat, isComposing, isTyping }: KeyPress): string | null {
  if (repeat || isComposing) return null;
  if (key === 'Enter' && (ctrlKey || metaKey)) return SEND;
  if (ctrlKey || metaKey || altKey) return null;
  if (key === 'Escape') return key;
  // with caps lock too
  return key.length === 1 && !isTyping ? key.toLowerCase() : null;
}

const WITHOUT_TEXT = new Set(['radio', 'checkbox', 'button', 'submit', 'reset', 'range', 'file']);

/** Whether keys write into what has the focus. */
export function isTypingIn(target: EventTarget | null): boolean {
  if (target instanceof HTMLInputElement) return !WITHOUT_TEXT.has(target.type);
  return target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement;
}

/** Takes the focus from a field, so that keys of one character are the page's. */
export function leaveField(): void {
  if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
}

const STORED = 'single-keys';

/** Whether keys of one character do something: people who speak to their computer, or hit keys by accident, turn them off. */
export const hasSingleKeys = (storage: Pick<Storage, 'getItem'>): boolean => storage.getItem(STORED) !== 'off';

export const setSingleKeys = (storage: Pick<Storage, 'setItem'>, on: 'on' | 'off'): void => storage.setItem(STORED, on);
