import { readFile, writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { defects, type PlantedDefect } from './defects.ts'
import type { DefectRun } from './main.ts'

const file = resolve(import.meta.dirname, '../../docs/reliability.md')
const [begin, end] = ['<!-- defects: written by npm run defects -->', '<!-- end of the defects -->']

/** Writes the results into docs/reliability.md. Defects that were not part of the run keep their rows. */
export async function writeDefectTable(runs: readonly DefectRun[]): Promise<void> {
  const text = await readFile(file, 'utf8')
  const [from, to] = [text.indexOf(begin), text.indexOf(end)]
  if (from === -1 || to === -1) throw new Error(`docs/reliability.md does not contain ${begin} and ${end}`)
  const earlier = text.slice(from, to).split('\n')
  const rows = defects.map((defect) => {
    const run = runs.find((one) => one.defect === defect)
    const start = `| ${cell(`${defect.name}: ${defect.about}`)} | \`${commandOf(defect)}\` |`
    if (!run) return earlier.find((row) => row.startsWith(start)) ?? `${start} not run |`
    return `${start} ${run.line === undefined ? 'NOT REPORTED' : cell(shortened(run.line, defect.report))} |`
  })
  const table = ['| planted defect | command | what it reported |', '| --- | --- | --- |', ...rows]
  await writeFile(file, `${text.slice(0, from + begin.length)}\n\n${table.join('\n')}\n\n${text.slice(to)}`)
}

const commandOf = ({ command }: PlantedDefect): string => command.map((word) => (word.includes(' ') ? `"${word}"` : word)).join(' ')

/** Returns a line without the marks of the command, or the expected text if the line is long. */
function shortened(line: string, report: string): string {
  const plain = line
    .replace(/^(?:PROBLEM|×|AssertionError:) /, '')
    .replace(/ \d+m?s$/, '')
    .replaceAll(/\s+/g, ' ')
  return plain.length <= 160 ? plain : report
}

const cell = (text: string): string => text.replaceAll('|', '\\|')
