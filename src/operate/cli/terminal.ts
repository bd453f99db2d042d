export interface Terminal {
  out(text: string): void
  err(text: string): void
  isInteractive: boolean
  ask(question: string): Promise<string>
  askSecretly(question: string): Promise<string>
  readInput(): Promise<string>
  save(directory: string, name: string, contents: AsyncIterable<Uint8Array>): Promise<void>
}

// C0 and C1 control characters, bidirectional marks, invisible characters, and line separators.
const dangerous = /[\p{Cc}\p{Bidi_C}\u200b-\u200d\u2028\u2029\u2060\ufeff]/gu

/**
 * Escapes characters that could move the cursor, or recolour or reorder the output, because clients choose their own names. The escapes
 * are those of JSON, so JSON stays valid.
 */
export function harmless(text: string): string {
  return text.replace(dangerous, (found) => (found === '\n' ? found : `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`))
}
