import { documentBudgets } from './documentTokens.ts'

/** Renders docs/agents.md: what an agent reads, and what it costs at most. */
export function renderAgents(): string {
  const rows = documentBudgets.map(({ path, maxTokens, accept }) => {
    const type = accept === undefined ? '' : ` as \`${accept}\``
    return `| \`${path}\`${type} | ${maxTokens.toLocaleString('en')} |`
  })
  return `<!-- Written by npm run docs from scripts/documentTokens.ts. -->

# Documents for agents

An agent that knows only the address of a school finds everything else from there: \`/llms.txt\` links every document, \`/auth.md\` leads to a
token, and \`/.well-known/agent-skills/index.json\` lists step-by-step instructions for tasks of several calls. The same skills are \`skill://\`
resources of the MCP server. Every command in these documents can run in a new shell.

Every document has the addresses, scopes, limits and lifetimes of its school. Tests follow each command of \`/auth.md\` (in bash and dash) and
of the skills literally, and compare each response with the stated one.

| document | tokens at most |
| --- | --- |
${rows.join('\n')}

The number of tokens is an estimate, 10 to 30 % above the o200k encoding. \`test/agents/documentTokens.test.ts\` prints it for each document of
the demo school, and fails above the limit: \`npx vitest run test/agents/documentTokens.test.ts\`.
`
}
