/** Where a command runs: what it may say, to whom, and whom it may ask. */
export interface Terminal {
  /** The answer of the command, and nothing else. */
  out(text: string): void
  /** Progress, warnings and refusals. */
  err(text: string): void
  /** Whether a person sits there who can be asked. */
  isInteractive: boolean
  /** One line that the person types. */
  ask(question: string): Promise<string>
  /** The same without an echo. */
  askSecretly(question: string): Promise<string>
  /** Everything that stands on the standard input. */
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
