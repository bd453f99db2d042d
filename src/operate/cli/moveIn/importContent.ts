import { stat } from 'node:fs/promises'
import { extname } from 'node:path'
import { isWebUrl } from '../../../base/net/webUrl.ts'
import type { CommandSession } from '../command.ts'
import { usage } from '../failures.ts'
import { withProgress } from '../progress.ts'
import { reportProgress } from '../reportProgress.ts'
import { readGhost } from './ghost.ts'
import type { MovedSite, MoveLine } from './movedSite.ts'
import { readText } from './readText.ts'
import { readWordpress } from './wordpress.ts'

export const moveFormats = ['wordpress', 'ghost'] as const

interface ContentOptions {
  format?: (typeof moveFormats)[number] | undefined
  from?: string | undefined
  files?: string | undefined
  as?: string | undefined
  dryRun?: true | undefined
  json?: true | undefined
}

/**
 * Adds the content of an exported file to the school, and prints what is left out; in a dry run and as JSON, everything.
 * @throws CommanderError for a file that cannot be read: then nothing is added
 */
export async function importContent(session: CommandSession, path: string, options: ContentOptions): Promise<void> {
  const { format, from, files: folder, as, dryRun: isDryRun = false, json } = options
  const { terminal } = session
  if (folder !== undefined && !(await stat(folder).catch(() => undefined))?.isDirectory())
    throw usage(`--files: ${folder} is not a directory: unpack an archive first`)
  await session.school()
  const site = await withProgress(terminal, `reading ${path}`, () => readSite(path, { format, from }))
  // The operations of the API are loaded only if they are used.
  const { moveIn } = await import('./moveIn.ts')
  const lines = await withProgress(terminal, `importing ${path}`, () =>
    moveIn(session, { site, as, folder, isDryRun, onProgress: reportProgress(terminal) }),
  )
  const shown = isDryRun || json ? lines : lines.filter(({ action }) => action === 'leave out')
  if (json) terminal.out(`${JSON.stringify(shown, undefined, 2)}\n`)
  // A reason names the fix: it is not cut as in a table.
  else
    for (const { action, type, name, reason } of shown)
      terminal.out(`${action} ${type} ${oneLine(name)}${reason && `: ${oneLine(reason)}`}\n`)
  terminal.err(`${isDryRun ? 'dry run, nothing was changed: ' : ''}${counted(lines)}\n`)
}

async function readSite(path: string, { format, from }: Pick<ContentOptions, 'format' | 'from'>): Promise<MovedSite> {
  if (from !== undefined && !isWebUrl(from)) throw usage('--from must be the address of the old site, such as https://blog.example.org')
  const extension = extname(path).toLowerCase()
  const chosen = format ?? (extension === '.xml' ? 'wordpress' : extension === '.json' ? 'ghost' : undefined)
  if (chosen === undefined) throw usage(`${path} ends neither with .xml nor with .json: name its format with --format`)
  return chosen === 'wordpress' ? await readWordpress(readText(path), path, from) : await readGhost(readText(path), path, from)
}

const oneLine = (text: string): string => text.replaceAll('\n', ' ')

/** Returns the numbers of a run: `4 posts, 1 page and 3 pictures created; 2 posts kept; 1 comment left out`. */
function counted(lines: readonly MoveLine[]): string {
  const actions = [
    ['create', 'created'],
    ['keep', 'kept'],
    ['leave out', 'left out or changed'],
  ] as const
  const parts = actions.flatMap(([action, done]) => {
    const types = Map.groupBy(
      lines.filter((line) => line.action === action),
      ({ type }) => type,
    )
    const numbers = [...types].map(([type, { length }]) => `${length} ${type}${length === 1 ? '' : 's'}`)
    return numbers.length === 0 ? [] : `${numbers.join(', ')} ${done}`
  })
  return parts.join('; ') || 'the file contains nothing'
}
