import { open, realpath } from 'node:fs/promises'
import { basename, join, sep } from 'node:path'
import { Readable } from 'node:stream'
import { OutboundError, type SendOutbound } from '../../../base/net/outboundRequest.ts'
import { Problem } from '../../../base/problem.ts'
import { escapeHtml } from '../../../base/text/escapeHtml.ts'
import { formerPath } from '../../../base/text/formerPath.ts'
import { type FilePurpose, filePurposes } from '../../../engine/declare/filePurposes.ts'
import type { SentForm } from '../../../engine/write/writing.ts'
import { explained } from '../failures.ts'
import { decodeEntities } from './exportValues.ts'
import type { MovedSite, MoveLine } from './movedSite.ts'

/** A file that the school has now. */
export interface MovedFile {
  id: string
  url: string
}

export interface PictureSource {
  site: MovedSite
  /** A folder with the files of the old site. Without one they are downloaded. */
  folder: string | undefined
  send: SendOutbound
  upload(form: SentForm): Promise<MovedFile>
  report(line: MoveLine): void
  /** True if nothing is stored. Nothing is downloaded either. */
  isDryRun: boolean
}

const maxBytes = filePurposes.image.maxBytes
const timeoutMs = 15_000
const maxHops = 3
/** After so many requests without a response a host is not asked again. */
const maxFailures = 3

/** Why a file cannot be had. */
class NoFile extends Error {}

/** Returns functions that fetch the files of the old site, once each, and name ours instead. A link to what moved becomes its path. */
export function pictureMover({ site, folder, send, upload, report, isDryRun }: PictureSource) {
  const moved = new Map<string, Promise<MovedFile | undefined>>()
  const failures = new Map<string, number>()
  const pathOf = movedPaths(site)

  const download = async (address: URL, hops = 0): Promise<Buffer> => {
    const url = new URL(address.href)
    url.protocol = 'https:'
    if ((failures.get(url.host) ?? 0) >= maxFailures) throw new NoFile(`${url.host} does not respond`)
    try {
      const { status, headers, body } = await send({ url, method: 'GET', headers: { Accept: 'image/*,*/*' }, maxBytes, timeoutMs })
      const next = headers.location === undefined || status < 300 || status > 399 ? null : URL.parse(headers.location, url.href)
      if (next && hops < maxHops) return await download(next, hops + 1)
      if (status !== 200) throw new NoFile(`${url.host} responds with status ${status}`)
      return body
    } catch (error) {
      if (!(error instanceof OutboundError)) throw error
      if (error.failure === 'failed') failures.set(url.host, (failures.get(url.host) ?? 0) + 1)
      throw new NoFile(outboundReasons[error.failure](url.host))
    }
  }

  const fetch = async (address: string): Promise<MovedFile | undefined> => {
    const url = URL.parse(address, site.address)
    if (!url || !/^https?:$/.test(url.protocol)) throw new NoFile('it has no web address: name the old site with --from')
    // The image service of WordPress.com names the picture in its path.
    const original = /^i\d\.wp\.com$/.test(url.host) ? new URL(`https:/${url.pathname}`) : url
    if (isDryRun && folder === undefined) return undefined
    const bytes = folder === undefined ? await download(original) : await readBelow(folder, original.pathname)
    const contentType = await typeOf(bytes, original.pathname)
    const purpose = purposeOf(contentType)
    if (!purpose) throw new NoFile(`it has the type ${contentType ?? '(unknown)'}, which the school does not take`)
    if (isDryRun) return undefined
    return await upload({
      fields: { purpose, visibility: 'public' },
      file: { filename: nameOf(original), contentType, bytes: bytes.length, read: () => Readable.from([bytes]) },
    })
  }

  const fileAt = (address: string): Promise<MovedFile | undefined> => moved.get(address) ?? begin(address)

  const begin = (address: string): Promise<MovedFile | undefined> => {
    const name = address.slice(0, 300)
    const file = fetch(address).then(
      (stored) => {
        report({ action: 'create', type: 'picture', name, reason: '' })
        return stored
      },
      (error: unknown) => {
        if (!(error instanceof NoFile || error instanceof Problem)) throw error
        const reason = error instanceof Problem ? explained(error).message : error.message
        report({ action: 'leave out', type: 'picture', name, reason })
        return undefined
      },
    )
    moved.set(address, file)
    return file
  }

  const pictureAt = async (address: string): Promise<MovedFile | undefined> =>
    address === '' ? undefined : await fileAt(withoutSize(address, site.media))

  const linkedFile = async (address: string): Promise<string | undefined> =>
    site.media.has(address) || isUpload(address, site.address) ? (await pictureAt(address))?.url : undefined

  return {
    fileAt,
    /** Returns the text with our address of each picture, and of each linked file of the old site. Others keep their address. */
    async withOurAddresses(html: string): Promise<string> {
      const pieces = html.split(attributes)
      for (let at = 1; at < pieces.length; at += 3) {
        const [tag = '', quoted = ''] = pieces.slice(at, at + 2)
        const address = decodeEntities(quoted.slice(1, -1)).trim()
        const ours = /^<a\b/i.test(tag) ? (pathOf(address) ?? (await linkedFile(address))) : (await pictureAt(address))?.url
        if (ours !== undefined) pieces[at + 1] = `"${escapeHtml(ours)}"`
      }
      return pieces.join('')
    },
  }
}

/** Returns a function for the path, here as there, of a link to a post or a page of the old site; undefined for other links. */
function movedPaths({ address, items }: MovedSite): (link: string) => string | undefined {
  const host = address === undefined ? undefined : URL.parse(address)?.host
  const paths = new Set(items.flatMap((item) => item.paths.map(formerPath)))
  const byId = new Map(items.map(({ id, paths: [path] }) => [id, path]))
  return (link) => {
    const url = host === undefined ? null : URL.parse(link, address)
    if (!url || url.host !== host) return undefined
    const named = byId.get(url.searchParams.get('p') ?? url.searchParams.get('page_id') ?? '')
    if (named !== undefined) return named
    return url.search === '' && paths.has(formerPath(url.pathname)) ? url.pathname + url.hash : undefined
  }
}

/** Splits HTML at the addresses of pictures and links: text, the tag up to the address, the address. */
const attributes = /(<(?:img|source|a)\b[^<>]{0,4000}?\s(?:src|href)\s*=\s*)("[^"<>]{0,4000}"|'[^'<>]{0,4000}')/i

const outboundReasons: Readonly<Record<OutboundError['failure'], (host: string) => string>> = {
  forbidden: (host) => `${host} is not an address of the public internet`,
  failed: (host) => `${host} does not respond`,
  invalid: (host) => `the response of ${host} is too large or compressed`,
}

/** WordPress shows smaller copies of a picture, such as `kiln-300x200.jpg`. Returns the address of the picture itself if the export has it. */
function withoutSize(address: string, media: ReadonlySet<string>): string {
  const original = address.replace(/-\d{1,5}x\d{1,5}(?=\.\w{3,4}$)/, '')
  return media.has(original) ? original : address
}

const isUpload = (address: string, site: string | undefined): boolean =>
  site !== undefined &&
  address.startsWith(`${site}/`) &&
  /^\/(?:.+\/)?(?:wp-content\/uploads|content\/(?:images|files|media))\/./.test(URL.parse(address)?.pathname ?? '')

/**
 * Reads a file of the old site from a folder, which is a copy of the whole site, or of one of the folders that the path names.
 * Nothing outside of the folder is read, whatever the path or a link in the folder says.
 */
async function readBelow(folder: string, path: string): Promise<Buffer> {
  const root = await realpath(folder)
  const parts = segmentsOf(path)
  if (parts === undefined) throw new NoFile('its address has no path of a file')
  for (let first = 0; first < Math.max(1, parts.length - 1); first += 1) {
    const found = await realpath(join(root, ...parts.slice(first))).catch(() => undefined)
    if (found === undefined || !found.startsWith(root + sep)) continue
    await using file = await open(found, 'r')
    const about = await file.stat()
    if (!about.isFile()) continue
    if (about.size > maxBytes) throw new NoFile(`it has ${about.size} bytes, more than ${maxBytes}`)
    return await file.readFile()
  }
  throw new NoFile('the folder does not contain it')
}

function segmentsOf(path: string): string[] | undefined {
  try {
    const parts = path
      .split('/')
      .filter((part) => part !== '')
      .map(decodeURIComponent)
    return parts.length > 0 && parts.every((part) => part !== '.' && part !== '..' && !/[/\\\0]/.test(part)) ? parts : undefined
  } catch {
    return undefined
  }
}

async function typeOf(bytes: Buffer, path: string): Promise<string> {
  const { fileTypeFromBuffer } = await import('file-type')
  const detected: string | undefined = (await fileTypeFromBuffer(bytes).catch(() => undefined))?.mime
  if (detected === undefined || detected === 'application/xml') return path.toLowerCase().endsWith('.svg') ? 'image/svg+xml' : 'unknown'
  return detected === 'image/apng' ? 'image/png' : detected
}

function purposeOf(type: string): 'image' | 'attachment' | undefined {
  const takes = ({ types }: FilePurpose): boolean => types.includes(type)
  return takes(filePurposes.image) ? 'image' : takes(filePurposes.attachment) ? 'attachment' : undefined
}

const nameOf = ({ pathname }: URL): string => {
  const name = (segmentsOf(pathname)?.at(-1) ?? basename(pathname)).replace(/[\p{Cc}\p{Cf}]/gu, '').slice(-120)
  return name === '' ? 'file' : name
}
