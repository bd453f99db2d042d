const maxCharacters = 200

/**
 * Returns the text of the header `Agent-Reason`, which is UTF-8 although Node reads it as Latin-1: on one line, at most 200 characters.
 * Undefined if it has none.
 */
export function parseAgentReason(header: string): string | undefined {
  if (header === '') return undefined
  const line = Buffer.from(header, 'latin1')
    .toString('utf8')
    .replaceAll(/[\p{Cc}\p{Cf}\p{Z}\uFFFD]+/gu, ' ')
    .trim()
  return Array.from(line).slice(0, maxCharacters).join('') || undefined
}
