import { usage } from './failures.ts'

export function limitIn(text: string): number {
  if (!/^[1-9]\d{0,4}$/.test(text)) throw usage('--limit must be a number from 1 to 99999')
  return Number(text)
}

export function rowIdIn(text: string): string {
  if (!/^[1-9]\d{0,17}$/.test(text)) throw usage(`${text} is not the id of a row: it must be a number, as the list shows it`)
  return text
}
