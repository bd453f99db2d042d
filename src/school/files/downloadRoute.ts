import type { Readable } from 'node:stream'
import type { Context, Middleware } from 'koa'
import { attach } from '../../base/http/attach.ts'
import type { ByteRange } from '../../base/http/byteRange.ts'
import { serveBytes } from '../../base/http/bytes.ts'
import { allowMethods } from '../../base/http/methods.ts'
import type { FailureLimit } from '../../base/http/rateLimit.ts'
import { fromPublicId } from '../../base/ids.ts'
import { Problem } from '../../base/problem.ts'
import type { ServedFile } from '../../database/tables/files.ts'
import { type AddressSigner, checkAddress } from './signedAddress.ts'

export interface DownloadRouteArguments {
  signer: AddressSigner
  find(schoolId: string, id: string): Promise<ServedFile | undefined>
  /** Reads its bytes; undefined if they were removed. */
  read(key: string, range: ByteRange | undefined): Promise<Readable | undefined>
  /** Limits requests for files that do not exist or that the caller may not read. */
  failures: FailureLimit
}

const address = /^\/files\/([^/]+)\/([^/]+)$/
const shown = /^(image\/(?!svg)|video\/|audio\/)/

/**
 * Serves `GET /files/{file_id}/{filename}`: public files to everybody, private files with a signed URL. Responds 404 to a private file
 * without a signature, and 403 with a wrong one, whether or not the file exists.
 */
export function downloadRoute({ signer, find, read, failures }: DownloadRouteArguments): Middleware {
  return async (ctx, next) => {
    const [, publicId, name] = address.exec(ctx.path) ?? []
    if (publicId === undefined || name === undefined) return next()
    if (allowMethods(ctx, ['GET', 'HEAD']) === 'answered') return
    const school = ctx.state.school
    const id = fromPublicId('fil', publicId)
    const subject = [school.id, id ?? '']
    // A request with a valid signature is not limited by the failures of other clients behind the same network address.
    if (checkAddress(signer, subject, signatureOf(ctx)) !== 'valid') await failures.check(ctx)
    const found = id === undefined ? undefined : await find(school.id, id)
    const file = found?.filename === decoded(name) ? found : undefined
    try {
      if (file?.visibility !== 'public') requireSignature(ctx, signer, subject)
      if (!file) throw fileNotFound()
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
        if (!body) throw fileNotFound()
        return body
      },
    })
    attach(ctx, file.filename, shown.test(file.content_type) ? 'inline' : 'attachment')
  }
}

const signatureOf = ({ query: { expires, signature } }: Context) => ({ expires, signature })

/** @throws Problem not_found without a signature, signature_invalid with a wrong or expired one */
function requireSignature(ctx: Context, signer: AddressSigner, subject: readonly string[]): void {
  const { expires, signature } = signatureOf(ctx)
  if (expires === undefined && signature === undefined) throw fileNotFound()
  if (checkAddress(signer, subject, { expires, signature }) === 'valid') return
  throw new Problem('signature_invalid', { description: 'The signed URL is invalid or has expired. Request a new one.' })
}

/** A deleted file, and one that is private now, disappears from caches after this time. They revalidate by ETag, without the bytes. */
const publicCaching = 'public, max-age=300, must-revalidate'

/** Returns headers that isolate uploaded content: no sniffing, no scripts, no frames, and an opaque origin. */
function headersOf({ visibility }: ServedFile): Record<string, string> {
  const isPublic = visibility === 'public'
  return {
    'Cache-Control': isPublic ? publicCaching : 'private, no-cache',
    'Content-Security-Policy': "sandbox; default-src 'none'; frame-ancestors 'none'",
    'Cross-Origin-Resource-Policy': isPublic ? 'cross-origin' : 'same-site',
    'X-Content-Type-Options': 'nosniff',
  }
}

const fileNotFound = (): Problem => new Problem('not_found', { description: 'This file does not exist.' })

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}
