import { parseArgs } from 'node:util'
import { Client } from 'pg'

const help = `npm run bench -- enlarge --times <n>

Makes the demo school of DATABASE_URL n times as large: copies its people, orders and enrolments, each copy with the references of the
original. Load the demo school first, with schoolgate demo load, and enlarge it once. The role needs to be a superuser.`

/** Runs `npm run bench -- enlarge`. Returns the exit code. */
export async function enlargeCommand(args: readonly string[]): Promise<number> {
  const { values } = parseArgs({ args: [...args], options: { times: { type: 'string', default: '2' }, help: { type: 'boolean' } } })
  const databaseUrl = process.env.DATABASE_URL
  if (values.help || !databaseUrl) {
    process.stdout.write(`${help}\n`)
    return values.help ? 0 : 2
  }
  await enlarge(databaseUrl, Number(values.times))
  return 0
}

/** The values of a copy that differ from those of the original. `copied(id)` is the id of the copy of a row. */
const copies = {
  person: {
    where: 'account_id IS NULL',
    values: { id: 'copied(id)', email: `'copy' || n || '.' || email` },
  },
  orders: {
    where: 'subscription_id IS NULL AND person_id IN (SELECT id FROM person WHERE account_id IS NULL)',
    values: {
      id: 'copied(id)',
      person_id: 'copied(person_id)',
      number: `number || '-' || n`,
      receipt_number: `receipt_number || '-' || n`,
      payment_reference: `payment_reference || '-' || n`,
      invoice_number: `invoice_number || '-' || n`,
    },
  },
  order_item: {
    where:
      'order_id IN (SELECT id FROM orders WHERE subscription_id IS NULL AND person_id IN (SELECT id FROM person WHERE account_id IS NULL))',
    values: { id: 'copied(id)', order_id: 'copied(order_id)' },
  },
  entitlement: {
    where: `source_type = 'order' AND source_id IN (SELECT id FROM orders WHERE subscription_id IS NULL)
      AND person_id IN (SELECT id FROM person WHERE account_id IS NULL)`,
    values: { id: 'copied(id)', person_id: 'copied(person_id)', source_id: 'copied(source_id)' },
  },
  enrollment: {
    where: 'person_id IN (SELECT id FROM person WHERE account_id IS NULL)',
    values: { id: 'copied(id)', person_id: 'copied(person_id)', order_id: 'copied(order_id)', certificate_number: 'null' },
  },
} as const

/** Makes the demo school this many times as large. */
export async function enlarge(databaseUrl: string, times: number): Promise<void> {
  const client = new Client({ connectionString: databaseUrl })
  await client.connect()
  try {
    // Neither triggers nor foreign keys are checked: the copies are consistent, because the originals are.
    await client.query(`SET session_replication_role = replica; BEGIN`)
    for (const [table, { where, values }] of Object.entries(copies)) {
      const set = Object.entries(values).map(([column, value]) => `'${column}', ${value.replace(/copied\((\w+)\)/g, copied)}`)
      await client.query(
        // As a table of the query: in the list of columns, PostgreSQL would call the function for each of them.
        `INSERT INTO ${table} SELECT copy.*
           FROM (SELECT * FROM ${table} WHERE school_id = (SELECT id FROM school WHERE slug = 'demo') AND ${where}) original,
                generate_series(2, $1) n,
                LATERAL jsonb_populate_record(NULL::${table}, to_jsonb(original) || jsonb_build_object(${set.join(', ')})) copy`,
        [times],
      )
    }
    await client.query(`UPDATE course SET enrollments_count = (SELECT count(*) FROM enrollment
      WHERE school_id = course.school_id AND course_id = course.id AND status IN ('active', 'completed', 'suspended'))`)
    await client.query('COMMIT; ANALYZE')
  } finally {
    await client.end()
  }
}

/** The last digits of a UUIDv7 are random, so the copy of a row has the same time as the row. */
const copied = (_call: string, column: string): string =>
  `overlay(${column}::text PLACING substr(md5(${column}::text || n), 1, 12) FROM 25)`
