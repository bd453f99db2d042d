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
}

// C0 and C1 controls but the line feed, marks that turn the direction of text, invisible ones, and line separators.
const dangerous = /[\p{Cc}\p{Bidi_C}\u200b-\u200d\u2028\u2029\u2060\ufeff]/gu

/**
 * Text that cannot move the cursor, recolour or reorder what an operator sees: clients choose their own names. Escapes are those of JSON,
 * so that JSON stays JSON.
 */
export function harmless(text: string): string {
  return text.replace(dangerous, (found) => (found === '\n' ? found : `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`))
}
