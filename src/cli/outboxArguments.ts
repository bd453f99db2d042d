import { usage } from './failures.ts'

/** Returns the number that `--limit` gives. @throws the error of invalid arguments */
export function limitIn(text: string): number {
  if (!/^[1-9]\d{0,4}$/.test(text)) throw usage('--limit must be a number from 1 to 99999')
  return Number(text)
}

/** Returns the id of a row of the outbox. @throws the error of invalid arguments */
export function rowIdIn(text: string): string {
  if (!/^[1-9]\d{0,17}$/.test(text)) throw usage(`${text} is not the id of a row: it must be a number, as the list shows it`)
  return text
}
