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
  maxTokens: number
  /** The media type to request, if the path has several. */
  accept?: string
}

/** Every document for agents, in the order in which an agent meets them. */
export const documentBudgets: readonly DocumentBudget[] = [
  { path: '/llms.txt', maxTokens: 5000 },
  // For readers that take one file.
  { path: '/llms-full.txt', maxTokens: 34_000 },
  { path: '/', accept: 'text/markdown', maxTokens: 5000 },
  { path: '/', accept: 'application/json', maxTokens: 500 },
  { path: '/auth.md', maxTokens: 6000 },
  { path: '/pricing.md', maxTokens: 2500 },
  // One line per operation: it grows with the API.
  { path: '/api.md', maxTokens: 8300 },
  { path: '/docs/{resource}.md', maxTokens: 11_600 },
  { path: '/docs/changes.md', maxTokens: 2000 },
  { path: '/docs/apps.md', maxTokens: 3000 },
  { path: '/docs/errors.md', maxTokens: 3500 },
  { path: '/openapi/{resource}.json', maxTokens: 29_500 },
  // For code generators: models read the part of one resource.
  { path: '/openapi.json', maxTokens: 324_000 },
  { path: '/robots.txt', maxTokens: 200 },
  { path: '/api/v1', accept: 'application/json', maxTokens: 2500 },
  { path: '/.well-known/agent-skills/index.json', maxTokens: 1800 },
  { path: '/.well-known/agent-skills/get-a-token/SKILL.md', maxTokens: 600 },
  { path: '/skill.md', maxTokens: 600 },
  { path: '/.well-known/agent-skills/find-and-enrol/SKILL.md', maxTokens: 1300 },
  { path: '/.well-known/agent-skills/publish-a-course/SKILL.md', maxTokens: 1800 },
  { path: '/.well-known/agent-skills/import-a-curriculum/SKILL.md', maxTokens: 1300 },
  { path: '/.well-known/agent-skills/sell/SKILL.md', maxTokens: 1600 },
  { path: '/.well-known/agent-skills/import-people/SKILL.md', maxTokens: 1300 },
  { path: '/.well-known/agent-skills/schedule-a-post/SKILL.md', maxTokens: 1100 },
  { path: '/.well-known/agent-skills/change-the-site/SKILL.md', maxTokens: 1600 },
  { path: '/.well-known/agent-skills/run-an-event/SKILL.md', maxTokens: 1400 },
  { path: '/.well-known/agent-skills/read-the-figures/SKILL.md', maxTokens: 1000 },
  { path: '/.well-known/agent-skills/keep-a-copy-in-sync/SKILL.md', maxTokens: 1200 },
  { path: '/.well-known/agent-skills/take-something-back/SKILL.md', maxTokens: 1000 },
  { path: '/mcp/server-card', maxTokens: 300 },
  { path: '/.well-known/ai-catalog.json', maxTokens: 200 },
  { path: '/.well-known/api-catalog', maxTokens: 1000 },
  { path: '/.well-known/oauth-protected-resource', maxTokens: 300 },
  { path: '/.well-known/oauth-authorization-server', maxTokens: 1200 },
]
