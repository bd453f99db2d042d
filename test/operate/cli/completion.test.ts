import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import type { Shell } from '../../../src/operate/cli/completion.ts'
import { createCli } from './cli.ts'
import { describedCommands } from './examples.ts'

const run = promisify(execFile)
const cli = createCli({ variables: {} })
const scriptFor = async (shell: Shell): Promise<string> => (await cli(['completion', shell])).out

/** Programs that print what the shell offers for a line. The last word is the one at the cursor. */
const harnesses: Record<Shell, (script: string, words: readonly string[]) => string> = {
  bash: (script, words) => `${script}
COMP_WORDS=(${words.map(quoted).join(' ')}); COMP_CWORD=${words.length - 1}
_schoolgate; printf '%s\\n' "\${COMPREPLY[@]}"`,
  // The functions of zsh's own completion exist in an interactive shell only.
  zsh: (script, words) => `compdef() { :; }; _files() { :; }; compadd() { shift; print -rl -- "$@"; }
${script}
words=(${words.map(quoted).join(' ')}); CURRENT=${words.length}; _schoolgate`,
  fish: (script, words) => `${script}\ncomplete -C ${quoted(words.join(' '))} | string replace -r '\\t.*' ''; true`,
}

const quoted = (text: string): string => `'${text}'`

async function offered(shell: Shell, ...words: string[]): Promise<string[]> {
  const program = harnesses[shell](await scriptFor(shell), ['schoolgate', ...words])
  // An argument of a process is limited to 128 KiB.
  const running = run(shell, [], { env: { PATH: process.env.PATH, HOME: '/nonexistent' } })
  running.child.stdin?.end(program)
  const { stdout } = await running
  return stdout.split('\n').filter(Boolean)
}

const isInstalled = async (shell: string): Promise<boolean> =>
  await run(shell, ['-c', 'true']).then(
    () => true,
    () => false,
  )

const installed: [Shell, boolean][] = [
  ['bash', true],
  ['zsh', await isInstalled('zsh')],
  ['fish', await isInstalled('fish')],
]

describe.each(installed)('%s', (shell, hasShell) => {
  describe.runIf(hasShell)('with the script', () => {
    test('offers the commands, the commands of a group, and the options of a command', async () => {
      expect(await offered(shell, '')).toEqual(expect.arrayContaining(['people', 'completion', 'log']))
      expect(await offered(shell, 'people', '')).toEqual(expect.arrayContaining(['list', 'create', 'erase']))
      expect(await offered(shell, 'people', 'list', '--')).toEqual(expect.arrayContaining(['--school', '--role', '--json', '--help']))
    })

    test('offers the values of options and of arguments', async () => {
      expect((await offered(shell, 'people', 'list', '--role', '')).toSorted()).toEqual(['admin', 'learner', 'lecturer', 'owner'])
      expect(await offered(shell, 'completion', '')).toEqual(expect.arrayContaining(['bash', 'zsh', 'fish']))
      expect(await offered(shell, 'log', 'level', '')).toEqual(expect.arrayContaining(['debug']))
      expect(await offered(shell, 'call', '')).toEqual(expect.arrayContaining(['listOrders', 'payOrder']))
      expect(await offered(shell, 'call', 'listOrders', '--')).toEqual(expect.arrayContaining(['--status', '--placed-at-gte', '--json']))
    })

    test('does not confuse arguments with commands', async () => {
      const options = await offered(shell, 'people', 'set-role', 'list', '--')
      expect(options).toContain('--school')
      expect(options).not.toContain('--role')
    })
  })
})

test('bash offers what begins with the typed letters, and no word for a value that is free', async () => {
  expect(await offered('bash', 'peo')).toEqual(['people'])
  expect(await offered('bash', 'people', 'list', '--ro')).toEqual(['--role'])
  expect(await offered('bash', 'backup', 'create', '--output', '')).toEqual([])
})

test.each(['bash', 'zsh', 'fish'] as const)('the script for %s has every command and every option of the program', async (shell) => {
  const script = await scriptFor(shell)
  const missing = describedCommands().flatMap(({ path, options }) => [
    ...(script.includes(`'${path.join(' ')}'`) ? [] : [path.join(' ')]),
    ...options.filter((option) => !script.includes(shell === 'fish' ? `-l ${option.slice(2)}` : option)),
  ])
  expect(missing).toEqual([])
})

test('another shell is a usage error that names the known ones', async () => {
  expect(await cli(['completion', 'csh'])).toMatchObject({
    exitCode: 2,
    err: expect.stringContaining('Allowed choices are bash, zsh, fish'),
  })
})
