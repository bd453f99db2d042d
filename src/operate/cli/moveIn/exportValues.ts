import { shortened } from '../../../base/text/sanitisedHtml.ts'
import { failure } from '../failures.ts'
import { moveLimits } from './movedSite.ts'

export const excess = (path: string) =>
  failure(
    `${path} contains more than ${moveLimits.items} posts or ${moveLimits.comments} comments: export fewer at a time, and import each file`,
  )

const named: ReadonlyMap<string, string> = new Map(
  'amp & lt < gt > quot " apos \' hellip … mdash — ndash – lsquo ‘ rsquo ’ sbquo ‚ ldquo “ rdquo ” bdquo „ laquo « raquo » copy © reg ® trade ™ euro € times × middot · auml ä ouml ö uuml ü Auml Ä Ouml Ö Uuml Ü szlig ß eacute é egrave è agrave à ccedil ç ntilde ñ'
    .split(' ')
    .flatMap((name, index, all): [string, string][] => (index % 2 === 0 ? [[name, all[index + 1] ?? '']] : [])),
)

/** Replaces numeric entities, and the named ones that editors write. */
export const decodeEntities = (text: string): string =>
  text.replace(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z]{2,8}));/gi, (entity, decimal?: string, hex?: string, name?: string) => {
    if (name !== undefined) return name === 'nbsp' ? ' ' : (named.get(name) ?? entity)
    const code = decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal)
    return code > 0x10ffff || (code >= 0xd800 && code < 0xe000) ? '\ufffd' : String.fromCodePoint(code)
  })

/** Removes scripts and styles, whose words are not for readers. */
export const withoutScripts = (html: string): string => html.replace(/<(script|style)\b[^<>]{0,1000}>[^<]{0,20000}<\/\1>/gi, '')

/** Returns HTML as one line of text, cut after `limit` characters. */
export function plainText(html: string, limit: number): string {
  const text = decodeEntities(withoutScripts(html.slice(0, limit * 50)).replace(/<[^<>]{0,2000}>/g, ' '))
  return shortened(text.replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ').trim(), limit)
}

/** Returns a time: `2019-05-04 09:30:00` in a zone, or in any format that names its zone. Undefined for `0000-00-00 00:00:00` and for none. */
export function timeIn(text: string | number | null | undefined, zone = ''): Date | undefined {
  if (text === null || text === undefined || text === '' || String(text).startsWith('0000')) return undefined
  const time = new Date(typeof text === 'number' ? text : zone === '' ? text : `${text.replace(' ', 'T')}${zone}`)
  return Number.isNaN(time.getTime()) ? undefined : time
}

/** Returns the path of an address; undefined for one that differs from others by its query, such as `/?p=12`. */
export function pathOf(address: string): string | undefined {
  const url = URL.parse(address)
  return url && url.search === '' && url.pathname !== '/' ? url.pathname : undefined
}

/** Returns host and path of a site: what remains if it moves from http to https. */
export const siteKey = (address: string): string => {
  const url = URL.parse(address)
  return url ? `${url.host}${url.pathname}`.replace(/\/$/, '').slice(0, 80) : 'unknown'
}

/** True if objects and arrays of a JSON text are inside one another more than `levels` deep. Takes one pass. */
export function isNestedDeeper(json: string, levels: number): boolean {
  let [depth, isInText] = [0, false]
  for (let at = 0; at < json.length; at += 1) {
    const code = json.charCodeAt(at)
    if (isInText && code === 0x5c) at += 1
    else if (code === 0x22) isInText = !isInText
    else if (!isInText && (code === 0x7b || code === 0x5b)) depth += 1
    else if (!isInText && (code === 0x7d || code === 0x5d)) depth -= 1
    if (depth > levels) return true
  }
  return false
}
