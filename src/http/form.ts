import { createReadStream } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import formidable, { errors } from 'formidable'
import type { Context } from 'koa'
import { Problem } from '../lib/problem.ts'
import { formLimits, limitForm, tooLargeForm } from './formLimits.ts'

/** A form: its fields, and the one file that it may have, on this machine's disk. */
export interface ReceivedForm {
  fields: Record<string, string>
  file: { filename: string; contentType: string; bytes: number; read(): Readable } | undefined
  /** Removes the file from the disk. */
  discard(): Promise<void>
}

/**
 * A form with at most one file, which goes to the disk as it comes.
 * @throws Problem unsupported_media_type, payload_too_large; invalid_request where the form cannot be understood
 */
export async function readForm(ctx: Context, maxBytes: number): Promise<ReceivedForm> {
  if (!ctx.is('multipart/form-data')) {
    throw new Problem('unsupported_media_type', {
      description: 'The Content-Type of a form with a file is multipart/form-data.',
      headers: { Accept: 'multipart/form-data' },
    })
  }
  const directory = await mkdtemp(join(tmpdir(), 'schoolgate-form-'))
  const discard = (): Promise<void> => rm(directory, { recursive: true, force: true })
  const limits = { maxFiles: 1, maxFields: formLimits.parts, maxFieldsSize: 65_536, maxFileSize: maxBytes, maxTotalFileSize: maxBytes }
  try {
    const form = formidable({ uploadDir: directory, allowEmptyFiles: true, minFileSize: 0, ...limits })
    limitForm(form, maxBytes)
    const [fields, files] = await form.parse(ctx.req)
    const file = files.file?.[0]
    const other = Object.keys(files).find((name) => name !== 'file')
    if (other !== undefined) throw new Problem('invalid_request', { description: 'The part with the file is called file.' })
    return {
      fields: Object.fromEntries(Object.entries(fields).map(([name, values]) => [name, only(name, values)])),
      file: file && {
        filename: file.originalFilename ?? '',
        contentType: (file.mimetype ?? '').split(';')[0]?.trim().toLowerCase() ?? '',
        bytes: file.size,
        read: () => createReadStream(file.filepath),
      },
      discard,
    }
  } catch (error) {
    // Whoever still sends is listened to until the end, so that the refusal reaches them.
    ctx.req.resume()
    await discard()
    throw asProblem(error, maxBytes)
  }
}

function only(name: string, values: readonly string[] = []): string {
  const [value = '', ...others] = values
  if (others.length > 0) throw new Problem('invalid_request', { description: `The form names ${name.slice(0, 100)} more than once.` })
  return value
}

const tooLarge: ReadonlySet<unknown> = new Set([
  errors.biggerThanMaxFileSize,
  errors.biggerThanTotalMaxFileSize,
  errors.maxFieldsSizeExceeded,
])

function asProblem(error: unknown, maxBytes: number): Problem {
  if (error instanceof Problem) return error
  if (tooLarge.has((error as { code?: unknown }).code)) {
    return tooLargeForm(maxBytes)
  }
  return new Problem('invalid_request', { description: 'The form is not multipart/form-data with one file at most.', cause: error })
}
