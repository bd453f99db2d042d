import type { Readable } from 'node:stream'
import { toPublicId } from '../lib/ids.ts'
import type { AccountArguments, PerformOwn } from '../pages/account/accountArguments.ts'
import { personRows } from '../store/personRows.ts'
import type { Foundation } from './foundation.ts'

interface ArchiveEntry {
  name: string
  input: AsyncIterable<string | Uint8Array>
}

/**
 * Creates the function that returns a person's data as a ZIP archive: the response of the API's export, and the bytes of every file that
 * the person uploaded. Nothing is held in memory but the piece that is being sent.
 */
export function createExportArchive(
  { accounts, storage }: Pick<Foundation, 'accounts' | 'storage'>,
  perform: PerformOwn,
): AccountArguments['exportArchive'] {
  return async (ctx, accountId) => {
    const { school } = ctx.state
    const { stream } = await perform(ctx, accountId, 'exportAccount')
    if (!stream) throw new Error('the export of an account is a stream')
    const { pieces } = stream
    const { makeZip } = await import('client-zip')
    async function* entries(): AsyncGenerator<ArchiveEntry> {
      yield { name: 'data.json', input: pieces }
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

/** Reads the bytes, and closes the file if the download breaks off. */
async function* closing(bytes: Readable): AsyncGenerator<Uint8Array> {
  try {
    for await (const piece of bytes) yield piece as Uint8Array
  } finally {
    bytes.destroy()
  }
}
