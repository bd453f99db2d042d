import { createHash } from 'node:crypto'

const firstMs = Date.UTC(2025, 0, 6)

/**
 * A UUIDv7 (RFC 9562 section 5.7) that is the same on every run. Its time depends on the index and on nothing else,
 * so rows of one kind sort as they are numbered, and a later run knows what an earlier one made.
 */
export function demoId(schoolId: string, kind: string, index: number): string {
  const bytes = createHash('sha256').update(`lanternfield/${schoolId}/${kind}/${index}`).digest().subarray(0, 16)
  bytes.writeUIntBE(firstMs + minutesTo(index) * 60_000, 0, 6)
  bytes.writeUInt8(0x70 | (bytes.readUInt8(6) & 0x0f), 6)
  bytes.writeUInt8(0x80 | (bytes.readUInt8(8) & 0x3f), 8)
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}

// A minute apart, and from the thousandth on half a second: millions lie in the past as well, before everything that people add.
const minutesTo = (index: number): number => (index < 1000 ? index : 1000 + (index - 1000) / 120)

/** The first and last UUID that an id of the demo can be: they lie in the weeks after a fixed day of the past, and no other id does. */
export const demoIdRange = [uuidAt(firstMs), uuidAt(firstMs + 90 * 86_400_000)] as const

function uuidAt(ms: number): string {
  return ms
    .toString(16)
    .padStart(12, '0')
    .replace(/^(.{8})(.{4})$/, '$1-$2-0000-0000-000000000000')
}

/** The ids of one school's rows by what they are and their number, each made once. */
export function demoIds(schoolId: string): (kind: string, index: number) => string {
  const made = new Map<string, string[]>()
  return (kind, index) => {
    const ids = made.get(kind) ?? []
    made.set(kind, ids)
    ids[index] ??= demoId(schoolId, kind, index)
    return ids[index]
  }
}
