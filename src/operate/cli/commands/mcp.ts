import { registryFile } from '../../../engine/mcp/serverCard.ts'
import { command, group, schoolOption } from '../command.ts'

const serverJson = command({
  name: 'server-json',
  summary: `Print the file server.json with which mcp-publisher lists the MCP server of a school in a registry. The registry asks for a proof
that the domain is yours.`,
  examples: ['mcp server-json', 'mcp server-json --school demo'],
  options: schoolOption,
  async run({ terminal, school: schoolOf }) {
    const school = await schoolOf()
    const { name } = await school.rows.selectFrom('school').select('name').executeTakeFirstOrThrow()
    terminal.out(`${JSON.stringify(registryFile(school, name), undefined, 2)}\n`)
    if (isPublic(school.issuer)) return
    terminal.err(
      `warning: ${school.issuer} is not a public https address: a registry would refuse it. Set issuer in the file of the school.\n`,
    )
  },
})

/** Returns whether others can reach the address by a name. */
function isPublic(issuer: string): boolean {
  const { protocol, hostname } = new URL(issuer)
  return protocol === 'https:' && /\.[a-z][a-z0-9-]+$/i.test(hostname)
}

export const mcp = group({ name: 'mcp', summary: 'Lists the MCP server in registries.', examples: ['mcp server-json'] }, [serverJson])
