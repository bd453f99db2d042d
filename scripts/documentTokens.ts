/**
 * Estimates how many tokens a document costs the model that reads it, and holds the limit of each document.
 *
 * A tokenizer of a model takes 55 MB. The estimate counts the same pieces instead: words, numbers, punctuation, white space. On the
 * documents of the service it is 10 to 30 % above the o200k encoding, and so close to the tokenizers that need the most tokens.
 */

/** Letters that common tokenizers join in one token: in ASCII, and in other scripts. */
const lettersPerToken = { ascii: 8, other: 4 }
const signsPerToken = 2.5

/** Returns the estimated number of tokens of a text. */
export function estimateTokens(text: string): number {
  return Iterator.from(text.matchAll(/ ?\p{L}+| ?\p{N}{1,3}|[^\S\n]+|\n+| ?[^\s\p{L}\p{N}]+/gu)).reduce(
    (sum, [piece]) => sum + tokensOf(piece.trim()),
    0,
  )
}

function tokensOf(piece: string): number {
  const { length } = [...piece]
  if (length === 0 || /^\p{N}/u.test(piece)) return 1
  if (!/^\p{L}/u.test(piece)) return Math.ceil(length / signsPerToken)
  return Math.ceil(length / (/^[a-z]+$/i.test(piece) ? lettersPerToken.ascii : lettersPerToken.other))
}

/** The most tokens that a document may cost. */
export interface DocumentBudget {
  /** Path of the document; `{resource}` is the name of each resource. */
  path: string
  mostTokens: number
  /** The media type to request, if the path has several. */
  accept?: string
}

/** Every document for agents, in the order in which an agent meets them. */
export const documentBudgets: readonly DocumentBudget[] = [
  { path: '/llms.txt', mostTokens: 5000 },
  { path: '/', accept: 'text/markdown', mostTokens: 5000 },
  { path: '/', accept: 'application/json', mostTokens: 500 },
  { path: '/auth.md', mostTokens: 6000 },
  { path: '/pricing.md', mostTokens: 2500 },
  { path: '/api.md', mostTokens: 7000 },
  { path: '/docs/{resource}.md', mostTokens: 8000 },
  { path: '/docs/changes.md', mostTokens: 2000 },
  { path: '/docs/apps.md', mostTokens: 3000 },
  { path: '/docs/errors.md', mostTokens: 3500 },
  { path: '/openapi/{resource}.json', mostTokens: 25_000 },
  { path: '/openapi.json', mostTokens: 210_000 },
  { path: '/robots.txt', mostTokens: 200 },
  { path: '/api/v1', accept: 'application/json', mostTokens: 2500 },
  { path: '/.well-known/agent-skills/index.json', mostTokens: 1200 },
  { path: '/.well-known/agent-skills/get-a-token/SKILL.md', mostTokens: 600 },
  { path: '/.well-known/agent-skills/find-and-enrol/SKILL.md', mostTokens: 1300 },
  { path: '/.well-known/agent-skills/publish-a-course/SKILL.md', mostTokens: 1800 },
  { path: '/.well-known/agent-skills/import-a-curriculum/SKILL.md', mostTokens: 1300 },
  { path: '/.well-known/agent-skills/run-an-event/SKILL.md', mostTokens: 1400 },
  { path: '/.well-known/agent-skills/read-the-figures/SKILL.md', mostTokens: 1000 },
  { path: '/.well-known/agent-skills/keep-a-copy-in-sync/SKILL.md', mostTokens: 1200 },
  { path: '/mcp/server-card', mostTokens: 300 },
  { path: '/.well-known/ai-catalog.json', mostTokens: 200 },
  { path: '/.well-known/api-catalog', mostTokens: 1000 },
  { path: '/.well-known/oauth-protected-resource', mostTokens: 300 },
  { path: '/.well-known/oauth-authorization-server', mostTokens: 1200 },
]
