import { yaml } from '@codemirror/lang-yaml';
import { type Diagnostic, lintGutter, setDiagnostics } from '@codemirror/lint';
import { EditorState, type Text } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import {
  afterNextRender,
  Component,
  CSP_NONCE,
  DestroyRef,
  effect,
  ElementRef,
  inject,
  input,
  model,
  signal,
  untracked,
  viewChild,
} from '@angular/core';
import { basicSetup } from 'codemirror';
import { textChange, type TextProblem } from './definition-text.js';
import { editorHelp } from './editor-help.js';
import { editorLook } from './editor-look.js';
import type { JsonSchema } from './schema-help.js';

/** A YAML editor that marks problems in place and explains keys by a schema. */
@Component({
  selector: 'app-yaml-editor',
  template: '<div #frame class="frame"></div>',
  styles: `
    :host {
      display: block;
      min-width: 0;
    }

    .frame {
      height: 100%;
      border: 1px solid var(--line-control);
      border-radius: var(--radius);
      overflow: hidden;
    }
  `,
})
export class YamlEditor {
  readonly text = model.required<string>();
  readonly problems = input<readonly TextProblem[]>([]);
  readonly schema = input<JsonSchema>();
  /** The accessible name of the editor. */
  readonly label = input.required<string>();

  private readonly frame = viewChild.required<ElementRef<HTMLElement>>('frame');
  private readonly nonce = inject(CSP_NONCE, { optional: true });
  private readonly destroyed = inject(DestroyRef);
  private readonly view = signal<EditorView | undefined>(undefined);

  constructor() {
    afterNextRender(() => this.start());
    effect(() => {
      const [view, text] = [this.view(), this.text()];
      const changes = view && textChange(view.state.doc.toString(), text);
      if (changes) view.dispatch({ changes });
    });
    effect(() => {
      const [view, problems] = [this.view(), this.problems()];
      if (view) untracked(() => view.dispatch(setDiagnostics(view.state, diagnostics(view.state.doc, problems))));
    });
  }

  /** Moves the cursor to a problem. */
  goTo({ line = 1, column = 1 }: TextProblem): void {
    const view = this.view();
    if (!view) return;
    const at = placeIn(view.state.doc, line, column);
    view.dispatch({ selection: { anchor: at }, effects: EditorView.scrollIntoView(at, { y: 'center' }) });
    view.focus();
  }

  private start(): void {
    const view = new EditorView({
      parent: this.frame().nativeElement,
      state: EditorState.create({
        doc: this.text(),
        extensions: [
          basicSetup,
          yaml(),
          editorLook,
          lintGutter(),
          editorHelp(() => this.schema()),
          EditorView.lineWrapping,
          EditorView.contentAttributes.of({ 'aria-label': this.label(), tabindex: '0' }),
          this.nonce ? EditorView.cspNonce.of(this.nonce) : [],
          EditorView.updateListener.of(({ docChanged, state }) => {
            if (docChanged) this.text.set(state.doc.toString());
          }),
        ],
      }),
    });
    this.destroyed.onDestroy(() => view.destroy());
    this.view.set(view);
  }
}

function diagnostics(text: Text, problems: readonly TextProblem[]): Diagnostic[] {
  return problems
    .filter(({ line }) => line !== undefined)
    .map(({ line, column, path, message }) => {
      const from = placeIn(text, line!, column ?? 1);
      const end = text.lineAt(from).to;
      // marks the rest of the line, so that the mark has a width
      return {
        from: Math.min(from, end),
        to: end,
        severity: 'error' as const,
        message: [path, message].filter(Boolean).join(': '),
      };
    })
    .sort((one, other) => one.from - other.from);
}

function placeIn(text: Text, line: number, column: number): number {
  const { from, to } = text.line(Math.min(Math.max(line, 1), text.lines));
  return Math.min(from + Math.max(column, 1) - 1, to);
}
