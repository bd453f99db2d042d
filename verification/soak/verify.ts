import { toPublicId } from '../../src/base/ids.ts'
import { until } from '../../test/support/poll.ts'
import { createRandom } from '../seededRandom.ts'
import { judgeEvents, judgeNumbers, judgeRows, type StoredRow } from './judge.ts'
import { type LedgerFile, type LedgerRow, markerIn } from './ledger.ts'
import { checkBrowser, checkChain } from './load/checker.ts'
import type { Load } from './load/load.ts'
import { NotServed, Unexpected } from './send.ts'

/** Compares the service with the model. Returns how many things it has compared. */
export type Verify = (options: { isLast: boolean }) => Promise<number>

/** How many unchanged things are read again after each failure. Everything is read at the end. */
const sample = 40
/** Messages of the log that docs/operate.md calls defects. */
const defects = ['delivery failed unexpectedly', 'fact changed outside a transaction']

export function createVerify(load: Load, seed: number): Verify {
  const { context } = load
  const { ledger, monitor, installation } = context
  const random = createRandom(`verify ${seed}`)
  /** The state in which each thing was read last. */
  const read = new Map<string, string>()
  let compared = 0

  /** Does the work on what has changed since its last time and on a sample of the rest, a few at a time. */
  async function each<One>(
    things: readonly One[],
    key: (one: One) => [string, string],
    isLast: boolean,
    work: (one: One) => Promise<void>,
  ) {
    const keyed = things.map((one) => ({ one, key: key(one) }))
    const isNew = ({ key: [name, state] }: (typeof keyed)[number]): boolean => read.get(name) !== state
    const others = random.shuffled(keyed.filter((one) => !isNew(one))).slice(0, isLast ? undefined : sample)
    const waiting = [...keyed.filter(isNew), ...others]
    compared += waiting.length
    const one = async (): Promise<void> => {
      for (let next = waiting.pop(); next; next = waiting.pop()) {
        try {
          await work(next.one)
          read.set(...next.key)
        } catch (error) {
          if (error instanceof Unexpected) continue
          if (!(error instanceof NotServed)) throw error
          monitor.report(`verification: ${error.message}`)
        }
      }
    }
    await Promise.all([one(), one(), one(), one()])
  }

  async function verifyStored(): Promise<void> {
    const rows = await installation.query<{ table: string; prefix: string; id: string; text: string; value: string }>(`
      SELECT 'course' AS table, 'crs' AS prefix, id::text, title AS text, title AS value FROM course
      UNION ALL SELECT 'post', 'pst', id::text, title, title FROM post
      UNION ALL SELECT 'person', 'std', id::text, name, name FROM person WHERE name LIKE 'soak%'
      UNION ALL SELECT 'orders', '', number, buyer_email, CASE WHEN status = 'paid' THEN status ELSE 'other' END FROM orders`)
    const stored: StoredRow[] = rows.map(({ table, prefix, id, text, value }) => ({
      ...{ table, value, marker: markerIn(text) },
      id: prefix ? toPublicId(prefix, id) : id,
    }))
    const byTable = new Set(stored.map(({ table }) => table))
    const expected = [
      ...[...ledger.rows.values()].filter(({ table }) => byTable.has(table)),
      ...[...ledger.invoices.keys()].map((id) => ({ table: 'orders', id, values: ['paid'] })),
    ]
    compared += expected.length
    for (const problem of judgeRows(expected, stored, ledger.markers)) monitor.report(problem)
  }

  async function verifyInvoices(): Promise<void> {
    const rows = await installation.query<{ number: string; invoice: string }>(
      'SELECT number, invoice_number AS invoice FROM orders WHERE invoice_number IS NOT NULL',
    )
    for (const problem of judgeNumbers(
      'invoices',
      rows.map(({ invoice }) => invoice),
    ))
      monitor.report(problem)
    const stored = new Map(rows.map(({ number, invoice }) => [number, invoice]))
    for (const [number, invoice] of ledger.invoices)
      if (stored.get(number) !== invoice)
        monitor.report(`lost: order ${number} has the invoice ${stored.get(number)} instead of ${invoice}`)
  }

  async function verifyClients(): Promise<void> {
    const rows = await installation.query<{ id: string }>('SELECT id FROM oidc_client WHERE disabled_at IS NULL')
    const stored = new Set(rows.map(({ id }) => id))
    for (const id of ledger.clients) if (!stored.has(id)) monitor.report(`lost: the registered client ${id} does not exist`)
    compared += ledger.clients.length
  }

  const least = (): Map<string, number> =>
    new Map([...ledger.rows.values()].flatMap(({ id, version }) => (version === undefined ? [] : [[id, version] as const])))

  /** Judges events once they have reached the acknowledged versions, or after the deadline. */
  async function verifyEvents(what: 'change feed' | 'webhooks', deadlineMs: number, update: () => Promise<void>): Promise<void> {
    const list = what === 'change feed' ? ledger.changes : ledger.webhooks
    const isComplete = async (): Promise<boolean> => {
      await update()
      return judgeEvents(what, list, least()).every((problem) => !problem.includes('is missing'))
    }
    await until(isComplete, { what, deadlineMs }).catch(() => undefined)
    for (const problem of judgeEvents(what, list, least())) monitor.report(problem)
    compared += list.length
  }

  async function readRow({ path, member, role, values, table, id }: LedgerRow): Promise<void> {
    const { json } = await context.as(role, { target: '-', path, expected: [200, 404] })
    const value = member.split('.').reduce<unknown>((inner, name) => (inner as Record<string, unknown> | undefined)?.[name], json)
    if (!values.includes(String(value))) monitor.report(`lost: ${table} ${id} is read as "${value}" instead of "${values.join('" or "')}"`)
  }

  async function readFile({ id, bytes }: LedgerFile): Promise<void> {
    const { json } = await context.as('owner', { target: '-', path: `/api/v1/storage/files/${id}`, expected: [200, 404] })
    const content = json.url && (await context.insist({ target: '-', path: json.url, expected: [200, 403, 404] }))
    if (!content?.bytes?.equals(bytes)) monitor.report(`lost: file ${id} does not have the bytes that were acknowledged`)
  }

  return async ({ isLast }) => {
    compared = 0
    await verifyStored()
    await verifyInvoices()
    await verifyClients()
    await verifyEvents('change feed', 30_000, load.readFeed)
    // A killed process keeps its deliveries for a minute, until another one takes them over.
    if (isLast) await verifyEvents('webhooks', 180_000, async () => undefined)
    else for (const problem of judgeEvents('webhooks', ledger.webhooks, new Map())) monitor.report(problem)
    await each([...ledger.rows.values()], (row) => [`${row.table} ${row.id}`, row.values.join()], isLast, readRow)
    await each(ledger.files, ({ id }) => [id, ''], isLast, readFile)
    const grants = ledger.chains.filter(({ life }) => life !== 'unknown')
    await each(
      grants,
      (one) => [`chain ${one.id}`, one.life + one.refreshToken],
      isLast,
      (one) => checkChain(context, one),
    )
    const browsers = ledger.browsers.filter(({ life }) => life !== 'unknown')
    await each(
      browsers,
      (one) => [`browser ${one.id}`, one.life],
      isLast,
      (one) => checkBrowser(context, one),
    )
    for (const log of installation.logs())
      for (const message of defects)
        if (log.includes(message)) monitor.report(`log: ${message}`, log.slice(log.indexOf(message) - 300).slice(0, 900))
    return compared
  }
}
