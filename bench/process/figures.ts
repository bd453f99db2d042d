import { cpus, loadavg, totalmem } from 'node:os'

/** Returns the middle of some numbers. */
export function median(numbers: readonly number[]): number {
  const ordered = numbers.toSorted((one, other) => one - other)
  return ordered[Math.floor(ordered.length / 2)] ?? 0
}

export const megabytes = (bytes: number): string => (bytes / 1e6).toFixed(1)

/** Prints a Markdown table. */
export function printRows(header: readonly string[], rows: readonly (readonly string[])[], say: (line: string) => unknown): void {
  for (const cells of [header, header.map((_name, column) => (column === 0 ? '---' : '---:')), ...rows]) say(`| ${cells.join(' | ')} |`)
}

/** Describes the machine of a run. */
export function machine(): string {
  const [cpu] = cpus()
  const date = new Date().toISOString().slice(0, 10)
  const load = loadavg()[0]?.toFixed(1)
  return `${date}, ${cpus().length} × ${cpu?.model.trim()}, ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.versions.node}; load ${load}`
}
