import { lint } from 'markdownlint/promise'

/** Returns what markdownlint reports by its default rules. Long lines are allowed: tables and links have them. */
export async function markdownErrors(text: string, { htmlElements = [] }: { htmlElements?: string[] } = {}): Promise<string[]> {
  const config = { default: true, MD013: false, MD024: { siblings_only: true }, MD033: { allowed_elements: htmlElements } }
  const { text: fieldErrors = [] } = await lint({ strings: { text }, config })
  return fieldErrors.map(({ lineNumber, ruleNames, ruleDescription, errorDetail }) =>
    [`line ${lineNumber}`, ruleNames[0], ruleDescription, errorDetail].filter(Boolean).join(': '),
  )
}
