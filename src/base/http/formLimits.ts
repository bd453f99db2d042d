import { EventEmitter } from 'node:events'
import type formidable from 'formidable'
import { Problem } from '../problem.ts'

/** Limits of a form, in addition to the sizes of its file and of its fields. */
export const formLimits = {
  parts: 20,
  /** Bytes of the headers of one part, names and file names among them. */
  partHeaders: 4096,
  /** Bytes of the form in addition to those of the file. */
  overhead: 262_144,
} as const

type PluginFunction = formidable.PluginFunction
type Form = Parameters<PluginFunction>[0]

interface ParserEvent {
  name: string
  start?: number
  end?: number
}

/**
 * Returns a plugin that stops reading a form with too many bytes or parts, or with too large headers of a part. The parser has no such
 * limits: it collects a header of any size, and the patterns that it tries on one take quadratic time.
 */
export function formLimitPlugin(maxBytes: number): PluginFunction {
  return (form) => {
    form.on('progress', (received: number) => {
      if (received > maxBytes + formLimits.overhead) stop(form, tooLargeForm(maxBytes))
    })
    const parser: unknown = Reflect.get(form, '_parser')
    if (!(parser instanceof EventEmitter)) throw new Error('formidable has no parser whose events can be counted')
    let parts = 0
    let headers = 0
    // Before the listener that collects headers.
    parser.prependListener('data', ({ name, start = 0, end = 0 }: ParserEvent) => {
      if (name === 'partBegin') {
        parts += 1
        headers = 0
      }
      if (name === 'headerField' || name === 'headerValue') headers += end - start
      if (parts <= formLimits.parts && headers <= formLimits.partHeaders) return
      parser.removeAllListeners('data')
      stop(form, tooManyParts())
    })
  }
}

/** Ends parsing with an error, which closes the files that are being written. */
function stop(form: Form, problem: Problem): void {
  const end: unknown = Reflect.get(form, '_error')
  if (typeof end !== 'function') throw problem
  Reflect.apply(end, form, [problem])
}

export const tooLargeForm = (maxBytes: number): Problem =>
  new Problem('payload_too_large', {
    description: `file must have at most ${maxBytes} bytes in a form. Create an upload for a larger file, then send its bytes.`,
  })

const tooManyParts = (): Problem =>
  new Problem('payload_too_large', {
    description:
      `A form must have at most ${formLimits.parts} parts, each with at most ${formLimits.partHeaders} bytes of headers. ` +
      'Send the file and its fields alone.',
  })
