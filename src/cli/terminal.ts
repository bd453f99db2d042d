/** The input and output of a command. */
export interface Terminal {
  /** Writes the result of the command. */
  out(text: string): void
  /** Writes progress, warnings and errors. */
  err(text: string): void
  /** True if a person can answer questions. */
  isInteractive: boolean
  /** Reads one line. */
  ask(question: string): Promise<string>
  /** Reads one line without an echo. */
  askSecretly(question: string): Promise<string>
  /** Reads standard input to its end. */
  readInput(): Promise<string>
  /** Saves a new file below a directory that the operator named. */
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
