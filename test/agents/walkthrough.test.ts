import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { personCalled } from '../support/agent.ts'
import { until } from '../support/poll.ts'
import { freePort } from '../support/process.ts'
import { startService, type TestService } from '../support/service.ts'

let service: TestService
let page: string
beforeAll(async () => {
  service = await startService()
  await service.addPerson({ email: 'ada@example.com' })
  page = await (await fetch(`${service.issuer}/auth.md`)).text()
})
afterAll(() => service.stop())

/** The commands of the served page, in their order. */
const commands = (): string[] => [...page.matchAll(/^```sh\n([\s\S]*?)\n```$/gm)].map(([, block = '']) => block)

const isListener = (command: string): boolean => command.includes('createServer')
const isPasted = (command: string): boolean => command.startsWith('read ')

/** Runs commands in a shell, on a free port. Returns the output of each by its number. */
async function paste(
  blocks: readonly string[],
  onAddress: (address: string, paste: (line: string) => void) => Promise<void>,
): Promise<string[]> {
  const port = String(await freePort())
  const script = blocks.map((block, index) => `echo "@@${index}@@"\n${block.replaceAll('8765', port)}`).join('\n')
  const shell = spawn('sh', ['-c', `set -u\n${script}\necho "@@end@@"`], { stdio: ['pipe', 'pipe', 'pipe'] })
  let output = ''
  shell.stdout.on('data', (chunk) => (output += chunk))
  const errors = text(shell.stderr)
  try {
    const address = await until(() => /^http\S+\/oauth\/authorize\?\S+$/m.exec(output)?.[0], {
      what: 'the address to open',
    })
    await onAddress(address, (line) => shell.stdin.write(`${line}\n`))
    await until(() => output.includes('@@end@@'), { what: 'the last command' })
    expect(await errors).toBe('')
    return output.split(/@@\w+@@\n/).slice(1)
  } finally {
    shell.kill()
  }
}

/** Returns the output of the blocks that contain this text. */
const printed = (blocks: readonly string[], outputs: readonly string[], wanted: string): string =>
  outputs.filter((_output, index) => blocks[index]?.includes(wanted)).join('\n')

describe('the commands of the served auth.md, pasted into a shell', () => {
  test('lead from registration to revocation, with the listener of the page', async () => {
    const blocks = commands().filter((command) => !isPasted(command))
    // The token after the refresh is shown once more, and once more after the revocation.
    const look = (label: string): string =>
      `curl -sS -o /dev/null -w '${label} %{http_code}\\n' ${service.issuer}/api/v1/account -H "Authorization: Bearer $ACCESS_TOKEN"`
    const revocation = blocks.findIndex((command) => command.includes('/api/oauth/revoke'))
    const all = [...blocks.slice(0, revocation), look('before'), ...blocks.slice(revocation), look('after')]
    const outputs = await paste(all, async (address) => {
      const redirect = await personCalled('ada@example.com').authorize(address, { scopes: 'all' })
      await until(
        () =>
          fetch(redirect)
            .then((answer) => answer.ok)
            .catch(() => false),
        { what: 'the listener' },
      )
    })
    expect(printed(all, outputs, '/.well-known/oauth-authorization-server')).toContain('"registration_endpoint"')
    expect(printed(all, outputs, 'application_type')).toMatch(/^\S{10,}\n$/)
    expect(printed(all, outputs, 'parameter()')).toBe('')
    expect(printed(all, outputs, '/api/oauth/userinfo')).toContain('"email":"ada@example.com"')
    expect(printed(all, outputs, "-w 'before")).toBe('before 200\n')
    expect(printed(all, outputs, "-w 'after")).toBe('after 401\n')
  })

  test('work as well where the address is copied from the address bar', async () => {
    const blocks = commands().filter((command) => !isListener(command))
    const outputs = await paste(blocks, async (address, type) => {
      type((await personCalled('ada@example.com').authorize(address, { scopes: 'all' })).href)
    })
    expect(printed(blocks, outputs, '/api/oauth/userinfo')).toContain('"email":"ada@example.com"')
  })

  test('stop at an answer to another request', async () => {
    const blocks = commands().filter((command) => !isListener(command))
    const end = blocks.findIndex((command) => command.startsWith('parameter()')) + 1
    const outputs = await paste(blocks.slice(0, end), async (_address, type) => {
      type('http://127.0.0.1:8765/callback?code=forged&state=forged&iss=https%3A%2F%2Fother.example')
    })
    expect(outputs.join('')).toContain('Not the response to this request')
  })
})
