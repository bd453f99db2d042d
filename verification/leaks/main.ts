/** `npm run leaks`: runs end-to-end suites, and searches logs and databases for every secret that their services issued. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { suites } from '../engines/suites.ts'

const root = resolve(import.meta.dirname, '../..')
const given = process.argv.slice(2)

/** A link in an e-mail leads back to the authorization that its person began. Only the browser that has the signature of the cookie can go on. */
const expected = 'cookie sg_resume in the table mailed_link'

if (given.includes('--help')) {
  process.stdout.write(`npm run leaks [-- file…]

Runs the end-to-end suites, or the given files. Their services log at level debug. When a service stops, its log and every table of its database
are searched for the secrets that it issued: cookies, codes, tokens, client secrets, links in e-mails, signed addresses, form tokens, recovery codes.
Exits with 1 if one is found or a test fails.
`)
} else process.exitCode = await run(given.length > 0 ? given : suites.ofRequests)

/** The secrets of one service, by kind, and the places that contain them. */
interface Line {
  kinds: Record<string, number>
  found: { where: string; kind: string }[]
}

async function run(files: readonly string[]): Promise<number> {
  const directory = await mkdtemp(join(tmpdir(), 'schoolgate-leaks-'))
  const file = join(directory, 'leaks.ndjson')
  try {
    await writeFile(file, '')
    const child = spawn('vitest', ['run', ...files], { cwd: root, stdio: 'inherit', env: { ...process.env, LEAK_FILE: file } })
    const [code] = (await once(child, 'exit')) as [number | null]
    const lines: Line[] = (await readFile(file, 'utf8'))
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line))
    return report(lines) && code === 0 ? 0 : 1
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}

function report(lines: readonly Line[]): boolean {
  const kinds = new Map<string, number>()
  for (const line of lines) for (const [kind, count] of Object.entries(line.kinds)) kinds.set(kind, (kinds.get(kind) ?? 0) + count)
  const found = Map.groupBy(
    lines.flatMap((line) => line.found),
    ({ where, kind }) => `${kind} in the ${where}`,
  )
  found.delete(expected)
  process.stdout.write(`\n${lines.length} services issued:\n${[...kinds].map(([kind, count]) => `  ${count} × ${kind}`).join('\n')}\n`)
  for (const [what, list] of found) process.stdout.write(`LEAK: ${what} (${list.length} times)\n`)
  if (lines.length === 0) process.stdout.write('No service was recorded.\n')
  else if (found.size === 0) process.stdout.write('None of them was found in a log or a database.\n')
  return lines.length > 0 && found.size === 0
}
