/** A message or a part of one (RFC 2045). */
export interface MimePart {
  /** Values by the lower-case name of the header field, unfolded. */
  headers: Map<string, string[]>
  /** Media type in lower case, without parameters. */
  type: string
  /** The content, decoded. Empty for a multipart type. */
  content: Buffer
  parts: MimePart[]
}

/** Parses a message with the line endings of RFC 5322. */
export function parseMime(message: string): MimePart {
  const end = message.indexOf('\r\n\r\n')
  const headers = new Map<string, string[]>()
  for (const line of message
    .slice(0, end)
    .replace(/\r\n[ \t]+/g, ' ')
    .split('\r\n')) {
    const [, name = '', value = ''] = /^([^:]*):\s*(.*)$/.exec(line) ?? []
    headers.set(name.toLowerCase(), [...(headers.get(name.toLowerCase()) ?? []), value])
  }
  const body = message.slice(end + 4)
  const [contentType = 'text/plain'] = headers.get('content-type') ?? []
  const type = contentType.split(';')[0]?.trim().toLowerCase() ?? ''
  const boundary = /boundary="?([^";]+)"?/.exec(contentType)?.[1]
  if (!type.startsWith('multipart/') || boundary === undefined) return { headers, type, content: decoded(headers, body), parts: [] }
  const pieces = `\r\n${body}`.split(`\r\n--${boundary}`).slice(1, -1)
  return { headers, type, content: Buffer.alloc(0), parts: pieces.map((piece) => parseMime(piece.replace(/^[ \t]*\r\n/, ''))) }
}

function decoded(headers: MimePart['headers'], body: string): Buffer {
  const [encoding = '7bit'] = headers.get('content-transfer-encoding') ?? []
  if (encoding.toLowerCase() === 'base64') return Buffer.from(body, 'base64')
  if (encoding.toLowerCase() !== 'quoted-printable') return Buffer.from(body)
  return unquoted(body.replace(/=\r\n/g, ''))
}

const unquoted = (text: string): Buffer =>
  Buffer.from(
    text.replace(/=([0-9A-F]{2})/gi, (_all, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    'latin1',
  )

/** Decodes a header value (RFC 2047). */
export const decodedHeader = (value: string): string =>
  value
    .replace(/\?=\s+=\?/g, '?==?')
    .replace(/=\?utf-8\?(q|b)\?([^?]*)\?=/gi, (_all, kind: string, text: string) =>
      (kind.toLowerCase() === 'b' ? Buffer.from(text, 'base64') : unquoted(text.replaceAll('_', ' '))).toString('latin1'),
    )
    .replace(/[\x80-\xff]+/g, (bytes) => Buffer.from(bytes, 'latin1').toString())
