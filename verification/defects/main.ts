/** `npm run defects`: plants errors in a copy of the source, one at a time, and runs the command that must report each. */
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs, stripVTControlCharacters } from 'node:util'
import { linkPackages } from '../../scripts/testClients.ts'
import { defects, type PlantedDefect } from './defects.ts'
import { writeDefectTable } from './defectTable.ts'
import { planted } from './planted.ts'

const root = resolve(import.meta.dirname, '../..')
const width = Math.max(...defects.map(({ name }) => name.length))
const help = `npm run defects [-- options]

Plants errors in a copy of the source, one at a time, and runs the command that must report each. Exits with 1 if a command reports nothing.
Writes the table of docs/reliability.md. A complete run takes about 15 minutes.

  --only <text>   only defects whose name contains this; may be repeated
  --help

${defects.map(({ name, about }) => `  ${name.padEnd(width)}  ${about}`).join('\n')}`

const { values } = parseArgs({
  options: { only: { type: 'string', multiple: true, default: [] }, help: { type: 'boolean', default: false } },
})
const unknown = values.only.filter((text) => !defects.some(({ name }) => name.includes(text)))

if (values.help) process.stdout.write(`${help}\n`)
else if (unknown.length > 0) {
  process.stderr.write(`--only: no defect has "${unknown.join('" or "')}" in its name; --help lists them\n`)
  process.exitCode = 2
} else process.exitCode = await runAll()

/** A defect with the line of the command that reported it; undefined if it was not reported. */
export interface DefectRun {
  defect: PlantedDefect
  line: string | undefined
}

async function runAll(): Promise<number> {
  const copy = copySource()
  try {
    const runs: DefectRun[] = []
    for (const defect of defects.filter(({ name }) => values.only.length === 0 || values.only.some((text) => name.includes(text)))) {
      const line = await reportOf(defect, copy)
      runs.push({ defect, line })
      process.stdout.write(`${line === undefined ? 'NOT REPORTED' : 'reported    '}  ${defect.name.padEnd(width)}  ${line ?? ''}\n`)
    }
    await writeDefectTable(runs)
    return runs.every(({ line }) => line !== undefined) ? 0 : 1
  } finally {
    rmSync(copy, { recursive: true, force: true })
  }
}

/** Copies the working tree, which stays as it is. */
function copySource(): string {
  const copy = mkdtempSync(join(tmpdir(), 'schoolgate-defects-'))
  const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { cwd: root, encoding: 'utf8' })
  for (const name of files.split('\n').filter(Boolean)) cpSync(join(root, name), join(copy, name), { force: true })
  cpSync(join(root, 'src/gen'), join(copy, 'src/gen'), { recursive: true })
  linkPackages(copy)
  return copy
}

async function reportOf({ name, changes, command, report }: PlantedDefect, copy: string): Promise<string | undefined> {
  const before = new Map(changes.map(({ file }) => [file, readFileSync(join(copy, file), 'utf8')]))
  for (const change of changes) writeFileSync(join(copy, change.file), planted(readFileSync(join(copy, change.file), 'utf8'), change))
  const { code, output } = await run(command, copy)
  for (const [file, text] of before) writeFileSync(join(copy, file), text)
  const line = output.split('\n').find((one) => one.includes(report))
  if (code !== 0 && line !== undefined) return line.trim()
  process.stdout.write(`${name}: ${command.join(' ')} ended with ${code}:\n${output.slice(-3000)}\n`)
  return undefined
}

async function run([program, ...args]: readonly [string, ...string[]], cwd: string): Promise<{ code: number | null; output: string }> {
  const child = spawn(program, args, { cwd, stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, NO_COLOR: '1' } })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk))
  const [code] = (await once(child, 'close')) as [number | null]
  return { code, output: stripVTControlCharacters(output) }
}
