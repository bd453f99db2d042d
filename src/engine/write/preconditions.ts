import { Problem } from '../../base/problem.ts'

/** The parsed `If-Match`: any version, one of these versions, or absent. */
export type Precondition = 'any' | readonly number[] | undefined

const tag = /^(?<weak>W\/)?"(?:(?<version>\d{1,9})(?<view>-[pos](?:-[0-9a-f]{8})?)?(?:--?(?:gzip|br|zstd|deflate))?|[^"]*)"$/

/**
 * Parses `If-Match` (RFC 9110 section 13.1.1). Only the version counts: the rest of a tag changes without a write. Gateways that compress
 * weaken a tag (nginx) or add the encoding (Apache, Caddy), so such a tag of the current version matches too.
 * @throws Problem invalid_request if it is not a list of entity tags
 */
export function parsePrecondition(header: string | undefined): Precondition {
  if (header === undefined || header.trim() === '') return undefined
  if (header.trim() === '*') return 'any'
  return header.split(',').map((one) => {
    const found = tag.exec(one.trim())?.groups
    if (!found) {
      throw new Problem('invalid_request', {
        description: "If-Match must be * or the ETag of the response that you read, such as '17-s-9f2c01ab' in double quotes.",
      })
    }
    const { weak, version, view } = found
    // The weak tag of a list has no view, and names no version even if its hash is all digits.
    return version === undefined || (weak && !view) ? 0 : Number(version)
  })
}

/** Returns the members that the body replaces as a whole, or `everything`; undefined if the request needs no If-Match. */
export function replacedMembers(needsIfMatch: boolean | readonly string[], body: unknown): 'everything' | readonly string[] | undefined {
  if (typeof needsIfMatch === 'boolean') return needsIfMatch ? 'everything' : undefined
  const members = typeof body === 'object' && body !== null ? needsIfMatch.filter((member) => Object.hasOwn(body, member)) : []
  return members.length > 0 ? members : undefined
}

interface Current {
  version: number
  etag(): string
  readPath(): string
}

/**
 * Checks a precondition against the current version.
 * @throws Problem precondition_failed with the tag that would match
 * @throws Problem precondition_required if it is absent although the request replaces something as a whole
 */
export function requirePrecondition(
  precondition: Precondition,
  replaced: ReturnType<typeof replacedMembers>,
  { version, etag, readPath }: Current,
): void {
  if (precondition === 'any') return
  if (precondition === undefined) {
    if (replaced) throw unconditional(replaced, { etag: etag(), path: readPath() })
    return
  }
  if (precondition.includes(version)) return
  const description = `If-Match has the ETag of another response, such as a list. GET ${readPath()}, then repeat with If-Match: <its ETag>.`
  const isOfOther = precondition.every((one) => one === 0)
  throw new Problem('precondition_failed', { headers: { ETag: etag() }, ...(isOfOther && { description }) })
}

function unconditional(replaced: 'everything' | readonly string[], { etag, path }: { etag: string; path: string }): Problem {
  const what = replaced === 'everything' ? 'this request' : replaced.join(', ')
  return new Problem('precondition_required', {
    description: `If-Match is required, because ${what} replaces what others may have changed. GET ${path}, then repeat with If-Match: <its ETag>.`,
    details: [{ code: 'precondition_required', message: `GET ${path}, then repeat with If-Match: ${etag}`, meta: { path, etag } }],
    headers: { ETag: etag },
  })
}
