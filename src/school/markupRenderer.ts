import { fieldError, Problem } from '../base/problem.ts'
import { createThread, ThreadFailure } from '../base/process/thread.ts'
import { markupWork } from '../base/text/markupLimits.ts'
import type { MarkupRenderer, RichText } from '../engine/externalServices.ts'
import { htmlOf, plainText, removedMarkup } from './richText.ts'

export interface MarkupRequest {
  kind: 'html' | 'words' | 'removed'
  texts: readonly RichText[]
}

export type MarkupResult = { rendered: string[] } | { problem: Pick<Problem, 'description' | 'details'> }

export interface MarkupRendererOptions {
  /** Called if the thread fails, with a reason that contains nothing of the text. */
  onFailure(reason: string): void
  limitMilliseconds?: number
  queue?: number
  module?: URL
}

/** Marks and lines of texts that are rendered on the event loop: they take about 20 milliseconds. */
export const maxImmediateWork = 2000

function render({ kind, texts }: MarkupRequest): string[] {
  if (kind === 'removed') return texts.flatMap(removedMarkup)
  return texts.map(({ text, format, field }) => (kind === 'html' ? htmlOf : plainText)(text, format, field))
}

export function answerMarkup(request: MarkupRequest): MarkupResult {
  try {
    return { rendered: render(request) }
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    return { problem: { description: error.description, details: error.details } }
  }
}

/** Creates a renderer: a text with much markup is rendered in a thread, so that it does not delay other requests. */
export function createMarkupRenderer({
  onFailure,
  limitMilliseconds = 8000,
  queue = 10,
  module = new URL('./markupWorker.ts', import.meta.url),
}: MarkupRendererOptions): MarkupRenderer & { isStarted(): boolean; close(): Promise<void> } {
  const thread = createThread<MarkupRequest, MarkupResult>({ module, limitMilliseconds, idleMilliseconds: 60_000, queue, megabytes: 256 })

  const renderAll = async (request: MarkupRequest): Promise<string[]> => {
    const work = request.texts.reduce((sum, { text }) => sum + markupWork(text), 0)
    if (work <= maxImmediateWork) return render(request)
    const result = await thread.run(request).catch((error: unknown) => {
      throw problemOf(error, request.texts[0]?.field ?? 'text')
    })
    if ('rendered' in result) return result.rendered
    throw new Problem('validation_failed', result.problem)
  }

  const problemOf = (error: unknown, field: string): unknown => {
    if (!(error instanceof ThreadFailure)) return error
    if (error.kind === 'late') {
      const late = fieldError(field, 'max', `must be rendered within ${limitMilliseconds / 1000} seconds. Split the text.`)
      return new Problem('validation_failed', { description: late.message, details: [late] })
    }
    if (error.kind === 'failed') onFailure(error.message)
    return new Problem('temporarily_unavailable', { headers: { 'Retry-After': '1' }, cause: error })
  }

  return {
    html: (texts) => renderAll({ kind: 'html', texts }),
    words: (texts) => renderAll({ kind: 'words', texts }),
    removed: (texts) => renderAll({ kind: 'removed', texts }),
    isStarted: thread.isStarted,
    close: thread.close,
  }
}

/** Returns the column `<name>_html` for a text in the fields `name` and `<name>_format`. */
export async function htmlColumn<Name extends string>(
  markup: MarkupRenderer,
  name: Name,
  sent: Readonly<Record<string, unknown>>,
): Promise<{ [Column in `${Name}_html`]: string | null }> {
  const text = sent[name]
  const format = sent[`${name}_format`] === 'html' ? 'html' : 'markdown'
  const [html = null] = typeof text !== 'string' ? [] : await markup.html([{ text, format, field: name }])
  return { [`${name}_html`]: html } as { [Column in `${Name}_html`]: string | null }
}
