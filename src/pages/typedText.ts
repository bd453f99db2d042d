import { isVisible } from '../base/text/visibleText.ts'

/**
 * Returns the text of a field as it is stored. Browsers send CRLF; a limit of characters counts a line break once. NUL and halves of
 * surrogate pairs cannot be stored. Invisible text counts as empty.
 */
export function typedText(text: string): string {
  const stored = text.toWellFormed().replace(/\r\n?/g, '\n').replaceAll('\0', '\ufffd').trim()
  return isVisible(stored) ? stored : ''
}
