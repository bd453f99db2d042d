import type { Context } from 'koa'

/**
 * Names the file of a response, as RFC 6266 appendix D recommends: `filename` in ASCII for old clients, and `filename*` with the real name. Node
 * and clients disagree about letters of ISO 8859-1 in `filename`, so none is sent.
 */
export function attach(ctx: Context, filename: string, type: 'inline' | 'attachment' = 'attachment'): void {
  ctx.attachment(filename, { type, fallback: asciiName(filename) })
}

/** Returns a name in printable ASCII: without accents, and with `_` for letters of other scripts. Quotes and `%` have special meanings. */
function asciiName(filename: string): string {
  return filename
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replaceAll('ß', 'ss')
    .replace(/[^\x20-\x7e]|[%"\\]/gu, '_')
}
