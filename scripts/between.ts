/** Returns a document with new content between two markers. */
export function between(text: string, [before, after]: [string, string], content: string): string {
  const [from, to] = [text.indexOf(before), text.indexOf(after)]
  if (from < 0 || to < from) throw new Error(`the document must contain "${before}" and, below it, "${after}"`)
  return `${text.slice(0, from)}${before}\n\n${content}\n\n${text.slice(to)}`
}
