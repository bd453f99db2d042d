import type { DestinationStream } from 'pino'

/** Returns a destination that formats the lines of a log for people. Loads the formatter on demand: most processes write JSON. */
export async function prettyLog(
  output: { write(text: string): unknown },
  { isColoured }: { isColoured: boolean },
): Promise<DestinationStream> {
  const { prettyFactory } = await import('pino-pretty')
  const format = prettyFactory({ colorize: isColoured, singleLine: true, translateTime: 'SYS:HH:MM:ss' })
  return { write: (line) => void output.write(format(line)) }
}
