import { expect, test } from 'vitest'
import { estimateTokens } from '../../scripts/documentTokens.ts'

test('the estimate of tokens grows with words, numbers and signs, and is never below the o200k encoding on these texts', () => {
  // The second number is what the o200k encoding needs.
  const known: readonly [string, number][] = [
    ['', 0],
    ['Lists the courses of the school.', 7],
    ['GET /api/v1/courses/{id_or_slug}', 12],
    ['{"object":"list","data":[],"page":{"limit":20}}', 14],
    ['| `status` | draft, published, archived | 2026-03-01T00:00:00Z |', 26],
    ['Töpfern für Anfänger', 5],
  ]
  for (const [text, tokens] of known) {
    expect(estimateTokens(text)).toBeGreaterThanOrEqual(tokens)
    expect(estimateTokens(text)).toBeLessThanOrEqual(tokens * 2)
  }
})
