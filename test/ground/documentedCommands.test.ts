import { execFileSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { operationCommands } from '../../src/operate/cli/call/operationCommands.ts'
import { describedCommands } from '../operate/cli/examples.ts'

const root = resolve(import.meta.dirname, '../..')
const documents = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '*.md'], { cwd: root, encoding: 'utf8' })
  .split('\n')
  .filter((file) => file !== '' && !/^docs\/(?:decisions|resources)\//.test(file))
const commands = describedCommands(operationCommands())

/** The lines of a document that begin with `schoolgate`: in blocks, in inline code and behind the command that enters a container. */
function linesOf(text: string): string[] {
  const inline = [...text.matchAll(/`schoolgate ([^`]+)`/g)].map(([, line = '']) => line)
  const blocks = [...text.matchAll(/^```sh.*\n([\s\S]*?)^```/gm)].flatMap(([, block = '']) =>
    [...block.matchAll(/(?:^|exec schoolgate |-- |> )schoolgate ([^#\n|]+)/gm)].map(([, line = '']) => line),
  )
  return [...inline, ...blocks].map((line) => line.trim().replaceAll(/\s+/g, ' '))
}

/** Returns what is wrong with a line: a word that is not a command of its group, or an option that the command does not have. */
function problemOf(line: string): string | undefined {
  const words = line.split(' ')
  const matching = commands
    .filter(({ path }) => path.every((word, index) => words[index] === word))
    .toSorted((first, second) => second.path.length - first.path.length)
  const [command] = matching
  const options = words.flatMap((word) => /^--[\w-]+/.exec(word) ?? [])
  if (command === undefined) return words[0]?.startsWith('--') ? undefined : `no command ${words[0]}`
  const next = words[command.path.length]
  if (command.isGroup && next !== undefined && !/^[-<[]/.test(next)) return `no command ${next} in ${command.path.join(' ')}`
  const unknown = options.filter((option) => !['--help', '--version', ...command.options].includes(option))
  return unknown.length > 0 ? `${command.path.join(' ')} has no ${unknown.join(', ')}` : undefined
}

test('a command or an option that does not exist is found', () => {
  expect(problemOf('audit --since 1h')).toBe(undefined)
  expect(problemOf('audit --sinse 1h')).toBe('audit has no --sinse')
  expect(problemOf('people delete ada@example.com')).toBe('no command delete in people')
  expect(problemOf('halt')).toBe('no command halt')
})

test('every command that a document names exists, with its options', () => {
  const named = documents.flatMap((file) => linesOf(readFileSync(join(root, file), 'utf8')).map((line) => ({ file, line })))
  expect(named.length).toBeGreaterThan(80)
  expect(named.flatMap(({ file, line }) => (problemOf(line) === undefined ? [] : [`${file}: ${line}: ${problemOf(line)}`]))).toEqual([])
})

describe('every block of commands', () => {
  const tests = globSync('test/**/*.ts', { cwd: root, exclude: ['**/node_modules', 'test/ground'] })
    .map((path) => readFileSync(join(root, path), 'utf8'))
    .join('\n')
  test.each(documents)('of %s is executed by a test, or is marked as an example', (document) => {
    const marks = [...readFileSync(join(root, document), 'utf8').matchAll(/^ *```(?:sh|bash|console|shell)\b *(.*)$/gm)].map(
      ([, mark = '']) => mark,
    )
    for (const mark of marks) {
      const [, name] = /^run=([\w-]+)$/.exec(mark) ?? []
      if (name === undefined) expect(mark).toBe('example')
      else expect(new RegExp(`run=${name}\\b|[(, ]'${name}'`).test(tests), `a test runs ${mark}`).toBe(true)
    }
  })
})
