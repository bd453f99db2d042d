/** Imported by every process of a run of tests (`--import`): appends what requests ask of the stores to the file STORE_USE_FILE. */
import { appendFileSync } from 'node:fs'
import { recordStoreUse } from './recordStoreUse.ts'

const file = process.env.STORE_USE_FILE

/** Values as PostgreSQL reads them from text. */
function asText(_name: string, value: unknown): unknown {
  const isBuffer = typeof value === 'object' && value !== null && 'type' in value && value.type === 'Buffer' && 'data' in value
  if (isBuffer) return `\\x${Buffer.from(value.data as number[]).toString('hex')}`
  return typeof value === 'bigint' ? String(value) : value
}

if (file) {
  const write = (line: object): void => appendFileSync(file, `${JSON.stringify(line, asText)}\n`)
  recordStoreUse({
    onStatement: (text, values) => write({ text, values: values.map((value) => value ?? null) }),
    onKey: (key, command) => write({ key, command }),
  })
}
