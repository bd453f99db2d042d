import { appendFile } from 'node:fs/promises'
import type { ServerResponse } from 'node:http'
import type { Database } from '../../src/database/connection/database.ts'
import { type IssuedSecret, secretsIn } from '../../test/security/secretSpellings.ts'
import { issuedInEmail, issuedInResponse } from './issuedIn.ts'

/** Where the findings of `npm run leaks` are written: one JSON object per line. */
const file = process.env.LEAK_FILE

/** Records the secrets that a service issues in a test, and searches for them when it stops. */
export interface LeakRecorder {
  watch(response: ServerResponse): void
  search(places: { log: string; emails: readonly { text: string }[]; database: Database }): Promise<void>
}

/** Returns a recorder in a run of `npm run leaks`; undefined in all other runs. */
export function createLeakRecorder(): LeakRecorder | undefined {
  if (file === undefined) return undefined
  const issued = new Map<string, IssuedSecret>()
  const note = (secrets: readonly IssuedSecret[]): void => {
    for (const one of secrets) issued.set(one.value, one)
  }
  return {
    watch(response) {
      const chunks: Buffer[] = []
      const keep = (chunk: unknown): void => {
        if (typeof chunk === 'string' || Buffer.isBuffer(chunk)) chunks.push(Buffer.from(chunk))
      }
      for (const name of ['write', 'end'] as const) {
        const send = response[name] as (...args: unknown[]) => unknown
        Object.assign(response, {
          [name](...args: unknown[]) {
            keep(args[0])
            return send.apply(response, args)
          },
        })
      }
      response.once('finish', () =>
        note(
          issuedInResponse({
            setCookie: [response.getHeader('set-cookie') ?? []].flat().map(String),
            location: response.getHeader('location')?.toString(),
            contentType: String(response.getHeader('content-type')),
            body: Buffer.concat(chunks).toString(),
          }),
        ),
      )
    },
    async search({ log, emails, database }) {
      for (const { text } of emails) note(issuedInEmail(text))
      const secrets = [...issued.values()]
      const found = [
        ...secretsIn(log, secrets).map((kind) => ({ where: 'log', kind })),
        ...(await tablesOf(database)).flatMap(([name, text]) => secretsIn(text, secrets).map((kind) => ({ where: `table ${name}`, kind }))),
      ]
      const kinds = Object.fromEntries(
        Map.groupBy(secrets, ({ kind }) => kind)
          .entries()
          .map(([kind, list]) => [kind, list.length]),
      )
      await appendFile(file, `${JSON.stringify({ kinds, found })}\n`)
    },
  }
}

/** Every row of every table, by its name. */
async function tablesOf({ sql }: Database): Promise<[name: string, rows: string][]> {
  const names = await sql.query<{ name: string }>("SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'")
  const tables: [string, string][] = []
  for (const { name } of names) {
    const rows = await sql.query<{ text: string }>(`SELECT row_to_json(t)::text AS text FROM "${name}" t`)
    tables.push([name, rows.map(({ text }) => text).join('\n')])
  }
  return tables
}
