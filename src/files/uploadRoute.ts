import type { IncomingMessage } from 'node:http'
import type { Context, Middleware } from 'koa'
import { allowMethods } from '../http/methods.ts'
import { fromPublicId } from '../lib/ids.ts'
import { Problem } from '../lib/problem.ts'
import type { School } from '../policy/school.ts'
import { type AddressSigner, checkAddress } from '../policy/signedAddress.ts'

export interface UploadRouteArguments {
  signer: AddressSigner
  /** Takes the bytes. Throws a Problem where they are refused. */
  receive(
    key: { schoolId: string; id: string },
    sent: { bytes: AsyncIterable<Uint8Array>; length: number | undefined },
  ): Promise<{ fileId: string; accountId: string }>
  /** The file as who brought it reads it. */
  describe(school: School, file: { fileId: string; accountId: string }): Promise<{ text: string; etag?: string | undefined }>
  /** How long bytes may take that do not stop coming. */
  secondsFor(bytes: number): number
}

const address = /^\/api\/v1\/storage\/uploads\/([^/]+)\/content$/

/** `PUT …/content?expires&signature`: raw bytes to a signed address. It asks for no token and looks at none. */
export function uploadRoute({ signer, receive, describe, secondsFor }: UploadRouteArguments): Middleware {
  return async (ctx, next) => {
    const [, publicId] = address.exec(ctx.path) ?? []
    if (publicId === undefined) return next()
    ctx.set('Cache-Control', 'no-store')
    if (allowMethods(ctx, ['PUT']) === 'answered') return
    const school = ctx.state.school as School
    const id = fromPublicId('upl', publicId)
    const { expires, signature } = ctx.query
    const worth = checkAddress(signer, [school.id, id ?? ''], { expires, signature }, new Date())
    if (id === undefined || worth === 'invalid') throw new Problem('signature_invalid')
    if (worth === 'expired') throw new Problem('upload_expired')
    const file = await receive(
      { schoolId: school.id, id },
      { bytes: arriving(ctx.req, secondsFor(lengthOf(ctx) ?? 0)), length: lengthOf(ctx) },
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
 * The body as it comes, for so long. The socket stays open behind a refusal: an answer still has to leave through it.
 * @throws Problem invalid_request where it breaks off or takes too long
 */
async function* arriving(request: IncomingMessage, seconds: number): AsyncGenerator<Uint8Array> {
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

/** Whether an address is one to which bytes are sent for longer than other requests take. */
export const isUpload = (path: string): boolean => address.test(path)
