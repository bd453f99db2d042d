import type { IncomingMessage } from 'node:http'
import type { Context, Middleware } from 'koa'
import { allowMethods } from '../../base/http/methods.ts'
import { fromPublicId } from '../../base/ids.ts'
import { Problem } from '../../base/problem.ts'
import type { School } from '../../base/school.ts'
import { type AddressSigner, checkAddress } from './signedAddress.ts'

export interface UploadRouteArguments {
  signer: AddressSigner
  store(
    key: { schoolId: string; id: string },
    sent: { bytes: AsyncIterable<Uint8Array>; length: number | undefined },
  ): Promise<{ fileId: string; accountId: string }>
  describe(school: School, file: { fileId: string; accountId: string }): Promise<{ text: string; etag?: string | undefined }>
  secondsFor(bytes: number): number
}

const address = /^\/api\/v1\/storage\/uploads\/([^/]+)\/content$/

/** Serves `PUT …/content?expires&signature`: raw bytes to a signed URL. Requires no token and ignores one that is sent. */
export function uploadRoute({ signer, store, describe, secondsFor }: UploadRouteArguments): Middleware {
  return async (ctx, next) => {
    const [, publicId] = address.exec(ctx.path) ?? []
    if (publicId === undefined) return next()
    ctx.set('Cache-Control', 'no-store')
    if (allowMethods(ctx, ['PUT']) === 'answered') return
    const school = ctx.state.school
    const id = fromPublicId('upl', publicId)
    const { expires, signature } = ctx.query
    const validity = checkAddress(signer, [school.id, id ?? ''], { expires, signature })
    if (id === undefined || validity === 'invalid') throw new Problem('signature_invalid')
    if (validity === 'expired') throw new Problem('upload_expired')
    const file = await store(
      { schoolId: school.id, id },
      { bytes: receivedBytes(ctx.req, secondsFor(lengthOf(ctx) ?? 0)), length: lengthOf(ctx) },
    )
    const { text, etag } = await describe(school, file)
    if (etag !== undefined) ctx.set('ETag', etag)
    ctx.type = 'application/json'
    ctx.body = text
  }
}

const lengthOf = (ctx: Context): number | undefined =>
  /^\d{1,15}$/.test(ctx.get('content-length')) ? Number(ctx.get('content-length')) : undefined

/**
 * Streams the body within a time limit. Keeps the socket open after an error, so that the response can be sent.
 * @throws Problem invalid_request if the body is incomplete or takes too long
 */
async function* receivedBytes(request: IncomingMessage, seconds: number): AsyncGenerator<Uint8Array> {
  let isLate = false
  const deadline = setTimeout(() => {
    isLate = true
    request.destroy()
  }, seconds * 1000)
  try {
    yield* request.iterator({ destroyOnReturn: false }) as AsyncIterable<Uint8Array>
  } catch (cause) {
    const description = isLate ? `The upload took longer than ${seconds} seconds.` : 'The upload ended before all bytes were received.'
    throw new Problem('invalid_request', { description, cause })
  } finally {
    clearTimeout(deadline)
  }
}

export const isUpload = (path: string): boolean => address.test(path)
