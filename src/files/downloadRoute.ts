import type { Readable } from 'node:stream'
import type { Context, Middleware } from 'koa'
import type { ByteRange } from '../http/byteRange.ts'
import { serveBytes } from '../http/bytes.ts'
import { allowMethods } from '../http/methods.ts'
import type { FailureLimit } from '../http/rateLimit.ts'
import { fromPublicId } from '../lib/ids.ts'
import { Problem } from '../lib/problem.ts'
import type { School } from '../policy/school.ts'
import { type AddressSigner, checkAddress } from '../policy/signedAddress.ts'
import type { ServedFile } from '../store/files.ts'

export interface DownloadRouteArguments {
  signer: AddressSigner
  /** A complete file of the school. */
  find(schoolId: string, id: string): Promise<ServedFile | undefined>
  /** Its bytes; undefined where they are gone. */
  read(key: string, range: ByteRange | undefined): Promise<Readable | undefined>
  /** Bounds the look-ups of files that are not there or not open to the caller. */
  failures: FailureLimit
}

const address = /^\/files\/([^/]+)\/([^/]+)$/
const shown = /^(image\/(?!svg)|video\/|audio\/)/

/**
 * `GET /files/{file_id}/{filename}`: public files to everybody, private ones to who has a signed address. Without one a private file
 * does not exist; with a wrong one nothing that is not public does.
 */
export function downloadRoute({ signer, find, read, failures }: DownloadRouteArguments): Middleware {
  return async (ctx, next) => {
    const [, publicId, name] = address.exec(ctx.path) ?? []
    if (publicId === undefined || name === undefined) return next()
    if (allowMethods(ctx, ['GET', 'HEAD']) === 'answered') return
    const school = ctx.state.school as School
    const id = fromPublicId('fil', publicId)
    const subject = [school.id, id ?? '']
    // Who holds a signed address is let in whatever others behind the same network address did.
    if (checkAddress(signer, subject, signatureOf(ctx), new Date()) !== 'valid') await failures.check(ctx)
    const found = id === undefined ? undefined : await find(school.id, id)
    const file = found?.filename === decoded(name) ? found : undefined
    try {
      if (file?.visibility !== 'public') requireSignature(ctx, signer, subject)
      if (!file) throw nothingHere()
    } catch (error) {
      await failures.count(ctx)
      throw error
    }
    await serveBytes(ctx, headersOf(file), {
      bytes: Number(file.bytes),
      contentType: file.content_type.startsWith('text/') ? `${file.content_type}; charset=utf-8` : file.content_type,
      etag: `"${file.checksum_sha256}"`,
      async read(range) {
        const body = await read(file.storage_key, range)
        if (!body) throw nothingHere()
        return body
      },
    })
    ctx.attachment(file.filename, { type: shown.test(file.content_type) ? 'inline' : 'attachment' })
  }
}

const signatureOf = ({ query: { expires, signature } }: Context) => ({ expires, signature })

/** @throws Problem not_found where none is sent, signature_invalid where it opens nothing (any more) */
function requireSignature(ctx: Context, signer: AddressSigner, subject: readonly string[]): void {
  const { expires, signature } = signatureOf(ctx)
  if (expires === undefined && signature === undefined) throw nothingHere()
  if (checkAddress(signer, subject, { expires, signature }, new Date()) === 'valid') return
  throw new Problem('signature_invalid', { description: 'The signed URL is invalid or has expired. Request a new one.' })
}

/** What keeps bytes that somebody brought from ever being more than bytes: no sniffing, no scripts, no frame, no origin of its own. */
function headersOf({ visibility }: ServedFile): Record<string, string> {
  const isPublic = visibility === 'public'
  return {
    'Cache-Control': isPublic ? 'public, max-age=31536000, immutable' : 'private, no-cache',
    'Content-Security-Policy': "sandbox; default-src 'none'; frame-ancestors 'none'",
    'Cross-Origin-Resource-Policy': isPublic ? 'cross-origin' : 'same-site',
    'X-Content-Type-Options': 'nosniff',
  }
}

const nothingHere = (): Problem => new Problem('not_found', { description: 'This file does not exist.' })

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}
