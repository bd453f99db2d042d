import type { Readable } from 'node:stream'
import { toPublicId } from '../../base/ids.ts'
import { personRows } from '../../database/tables/personRows.ts'
import type { AccountArguments, PerformOwn } from '../../pages/account/accountArguments.ts'
import type { Foundation } from './foundation.ts'

interface ArchiveEntry {
  name: string
  input: AsyncIterable<string | Uint8Array>
}

/**
 * Creates the function that returns a person's data as a ZIP archive: the response of the API's export, their invoices, a page
 * that shows the data to people, and the bytes of every file that the person uploaded. Files are never held in memory.
 */
export function createExportArchive(
  { accounts, storage }: Pick<Foundation, 'accounts' | 'storage'>,
  perform: PerformOwn,
): AccountArguments['exportArchive'] {
  return async (ctx, accountId, { documents, index }) => {
    const { school } = ctx.state
    const { stream } = await perform(ctx, accountId, 'exportAccount')
    if (!stream) throw new Error('the export of an account is a stream')
    const { pieces } = stream
    const { makeZip } = await import('client-zip')
    async function* entries(): AsyncGenerator<ArchiveEntry> {
      const data = keeping(pieces)
      yield { name: 'data.json', input: data.pieces }
      const names: string[] = []
      for await (const { name, text } of documents()) {
        names.push(name)
        yield { name, input: only(text) }
      }
      const text = data.text()
      if (text !== undefined) yield { name: 'index.html', input: only(index(JSON.parse(text), names)) }
      const columns = ['id', 'filename', 'storage_key', 'status']
      const where = { column: 'uploaded_by', value: accountId }
      for await (const batch of personRows(accounts.kysely, { table: 'file', columns, keys: ['id'], schoolId: school.id, where })) {
        for (const { id, filename, storage_key, status } of batch) {
          const bytes = status === 'ready' ? await storage.read(String(storage_key)) : undefined
          // The id comes first: two files can have the same name.
          if (bytes) yield { name: `files/${toPublicId('fil', String(id))}-${String(filename)}`, input: closing(bytes) }
        }
      }
    }
    return makeZip(entries())
  }
}

/** The most characters of data that index.html shows: more than a person reads, and little memory. */
const maxShown = 5_000_000

/** Passes the pieces on, and returns the whole text afterwards; undefined if it is too long. */
function keeping(pieces: AsyncIterable<string>) {
  const kept: string[] = []
  let length = 0
  async function* passed(): AsyncGenerator<string> {
    for await (const piece of pieces) {
      length += piece.length
      if (length > maxShown) kept.length = 0
      else kept.push(piece)
      yield piece
    }
  }
  return { pieces: passed(), text: () => (length > maxShown ? undefined : kept.join('')) }
}

async function* only(text: string): AsyncGenerator<string> {
  yield text
}

/** Reads the bytes, and closes the file if the download breaks off. */
async function* closing(bytes: Readable): AsyncGenerator<Uint8Array> {
  try {
    for await (const piece of bytes) yield piece as Uint8Array
  } finally {
    bytes.destroy()
  }
}
