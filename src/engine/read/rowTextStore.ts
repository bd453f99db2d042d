import { createCaches } from '../../base/process/caches.ts'

/**
 * Texts of rows that this process keeps, in the pieces between the members that are read for each request. A text is used only for a row that
 * the current request has read, in the view that it has read, and while the row and the content of the school have the versions that were
 * read before the text was made. What decides is never kept: which rows, their order, their view, and the caller's own part.
 */
export interface RowTexts {
  get(key: string, version: string): readonly string[] | undefined
  keep(key: string, version: string, pieces: readonly string[]): void
  clear(): void
}

interface Kept {
  version: string
  until: number
  pieces: readonly string[]
}

/** If a process is killed between a commit and its mark, other processes show an old name of a related row for this long at most. */
const keptMilliseconds = 20_000
const overheadBytes = 300

export function createRowTexts(caches = createCaches()): RowTexts {
  const texts = caches.create<Kept>('row_texts', {
    sizeCalculation: ({ pieces }, key) => pieces.reduce((bytes, piece) => bytes + piece.length, overheadBytes + key.length),
  })
  return {
    get(key, version) {
      const found = texts.get(key)
      return found && found.version === version && found.until > performance.now() ? found.pieces : undefined
    },
    keep: (key, version, pieces) => void texts.set(key, { version, until: performance.now() + keptMilliseconds, pieces }),
    clear: () => texts.clear(),
  }
}
