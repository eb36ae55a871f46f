export interface Taint {
  /** All markers that it was shown. */
  readonly text: string;
  /** Whether one of them is that of hidden data. */
  readonly isHidden: boolean;
  see(value: unknown): void;
  prediction(kind: 'text' | 'label', instance: { readonly text: string }): unknown;
}

export function taint(): Taint;
