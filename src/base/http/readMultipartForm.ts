import { createReadStream } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import type { File } from 'formidable'
import type { Context } from 'koa'
import { Problem } from '../problem.ts'
import { formLimitPlugin, formLimits, tooLargeForm } from './formLimits.ts'

export interface ReceivedForm {
  fields: Record<string, string>
  file: { filename: string; contentType: string; bytes: number; read(): Readable } | undefined
  discard(): Promise<void>
}

/**
 * Reads a form with at most one file, which is written to the disk while it arrives.
 * @throws Problem unsupported_media_type, payload_too_large; invalid_request if the form cannot be parsed
 */
export async function readMultipartForm(ctx: Context, maxBytes: number): Promise<ReceivedForm> {
  if (!ctx.is('multipart/form-data')) {
    throw new Problem('unsupported_media_type', {
      description: 'Content-Type must be multipart/form-data for a form with a file.',
      headers: { Accept: 'multipart/form-data' },
    })
  }
  const directory = await mkdtemp(join(tmpdir(), 'schoolgate-form-'))
  const discard = (): Promise<void> => rm(directory, { recursive: true, force: true })
  try {
    const { body, files } = await parse(ctx, directory, maxBytes)
    ctx.state.resumed?.()
    const { file, ...others } = files
    if (Object.keys(others).length > 0) {
      throw new Problem('invalid_request', { description: 'The name of the part that contains the file must be file.' })
    }
    const [first] = [file ?? []].flat()
    return {
      fields: Object.fromEntries(Object.entries(body).map(([name, value]) => [name, only(name, value)])),
      file: first && {
        filename: first.originalFilename ?? '',
        contentType: (first.mimetype ?? '').split(';')[0]?.trim().toLowerCase() ?? '',
        bytes: first.size,
        read: () => createReadStream(first.filepath),
      },
      discard,
    }
  } catch (error) {
    // The rest of the request is read and dropped: a client that is still sending would not see the response otherwise.
    ctx.req.resume()
    await discard()
    throw await asProblem(error, maxBytes)
  }
}

interface ParsedForm {
  body?: Record<string, string | string[]>
  files?: Record<string, File | File[]>
}

/** koa-body passes the form to formidable; the limits that neither of them has are a plugin. */
async function parse(ctx: Context, directory: string, maxBytes: number): Promise<Required<ParsedForm>> {
  const { multipart } = await import('formidable')
  const { koaBody } = await import('koa-body')
  const parser = koaBody({
    multipart: true,
    urlencoded: false,
    json: false,
    text: false,
    formidable: {
      uploadDir: directory,
      allowEmptyFiles: true,
      minFileSize: 0,
      maxFiles: 1,
      maxFields: formLimits.parts,
      maxFieldsSize: 65_536,
      maxFileSize: maxBytes,
      maxTotalFileSize: maxBytes,
      enabledPlugins: [multipart, formLimitPlugin(maxBytes)],
    },
  })
  await parser(ctx, async () => {})
  const { body = {}, files = {} } = ctx.request as ParsedForm
  return { body, files }
}

function only(name: string, value: string | string[]): string {
  if (typeof value === 'string') return value
  throw new Problem('invalid_request', { description: `${name.slice(0, 100)} must be in the form only once. Remove the other fields.` })
}

async function asProblem(error: unknown, maxBytes: number): Promise<Problem> {
  if (error instanceof Problem) return error
  const { biggerThanMaxFileSize, biggerThanTotalMaxFileSize, maxFieldsSizeExceeded } = (await import('formidable')).errors
  const tooLarge: unknown[] = [biggerThanMaxFileSize, biggerThanTotalMaxFileSize, maxFieldsSizeExceeded]
  if (tooLarge.includes((error as { code?: unknown }).code)) return tooLargeForm(maxBytes)
  return new Problem('invalid_request', { description: 'The body must be multipart/form-data with at most one file.', cause: error })
}
