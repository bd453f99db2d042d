import type { Change } from './defects.ts'

/** Returns the text with the change. @throws Error if the text to replace is not there exactly once: source and list must agree */
export function planted(text: string, { file, from, to }: Change): string {
  const parts = text.split(from)
  if (parts.length !== 2) throw new Error(`${file} contains ${parts.length - 1} times: ${from}`)
  return parts.join(to)
}
