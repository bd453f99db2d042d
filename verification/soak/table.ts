import { readFile, writeFile } from 'node:fs/promises'
import { cpus } from 'node:os'
import { resolve } from 'node:path'
import { allFailures } from './failures/allFailures.ts'
import { allowanceText } from './failures/failure.ts'
import type { FailureRun, SoakReport } from './soak.ts'

const file = resolve(import.meta.dirname, '../../docs/reliability.md')
const [begin, end] = ['<!-- soak: written by npm run soak -->', '<!-- end of the soak -->']

/** Writes the result of a run into docs/reliability.md. */
export async function writeTable(report: SoakReport, run: { minutes: number; seed: number }): Promise<void> {
  const text = await readFile(file, 'utf8')
  const [from, to] = [text.indexOf(begin), text.indexOf(end)]
  if (from === -1 || to === -1) throw new Error(`docs/reliability.md does not contain ${begin} and ${end}`)
  await writeFile(file, `${text.slice(0, from + begin.length)}\n\n${tableOf(report, run)}\n\n${text.slice(to)}`)
}

/** Returns the table of a run in Markdown. */
function tableOf({ runs, skipped, problems, total, ledger, seconds }: SoakReport, run: { minutes: number; seed: number }): string {
  const lines = allFailures.map((failure) => {
    const own = runs.filter((one) => one.failure === failure)
    const reason = skipped.find((one) => one.failure === failure)?.reason
    const result =
      own.length > 0 ? columnsOf(own) : [reason === undefined ? 'not in this run' : `skipped: ${reason}`, '', '', '', '', '', '']
    return `| ${[failure.name, failure.cause, failure.undo, allowanceText(failure), ...result].join(' | ')} |`
  })
  const head = [
    'failure',
    'caused by',
    'undone by',
    'may be answered meanwhile',
    'answered',
    '503',
    'lost',
    'slowest',
    'ready after',
    'compared',
    'problems',
  ]
  const life = (name: string): number => ledger.chains.filter((one) => one.life === name).length
  return [
    `\`npm run soak -- --minutes ${run.minutes} --seed ${run.seed}\` on ${cpus().length} cores, ${Math.round(seconds)} s: ${runs.length} failures, ${count(total.answered)} requests answered,`,
    `${count(total.refused)} refused with 503, ${count(total.lost)} lost with their connection. At the end the model had ${count(ledger.rows.size)} rows, ${count(ledger.files.length)} files, ${count(ledger.invoices.size)} invoices,`,
    `${count(ledger.clients.length)} clients, ${count(life('live'))} live and ${count(life('dead'))} ended grants, ${count(ledger.browsers.length)} sessions, ${count(ledger.changes.length)} changes and ${count(ledger.webhooks.length)} webhooks.`,
    problems.length === 0 ? 'No problem was found.' : `${problems.length} problems were found.`,
    '',
    `| ${head.join(' | ')} |`,
    `| ${head.map((_, index) => (index < 4 ? '---' : '---:')).join(' | ')} |`,
    ...lines,
  ].join('\n')
}

function columnsOf(runs: readonly FailureRun[]): string[] {
  const sum = (value: (one: FailureRun) => number): string => count(runs.reduce((before, one) => before + value(one), 0))
  const most = (value: (one: FailureRun) => number): string => `${(Math.max(...runs.map(value)) / 1000).toFixed(1)} s`
  return [
    sum(({ counts }) => counts.answered),
    sum(({ counts }) => counts.refused),
    sum(({ counts }) => counts.lost),
    most(({ counts }) => counts.slowestMs),
    most(({ readyMs }) => readyMs),
    sum(({ compared }) => compared),
    sum(({ problems }) => problems),
  ]
}

const count = (number: number): string => number.toLocaleString('en')
