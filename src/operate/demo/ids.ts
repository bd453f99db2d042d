import { createHash } from 'node:crypto'

const firstMs = Date.UTC(2025, 0, 6)

/**
 * Returns a UUIDv7 (RFC 9562 section 5.7) that is the same on every run. Its time depends on the index only, so rows of one kind sort by
 * their index.
 */
export function demoId(schoolId: string, kind: string, index: number): string {
  const bytes = createHash('sha256').update(`lanternfield/${schoolId}/${kind}/${index}`).digest().subarray(0, 16)
  bytes.writeUIntBE(firstMs + minutesTo(index) * 60_000, 0, 6)
  bytes.writeUInt8(0x70 | (bytes.readUInt8(6) & 0x0f), 6)
  bytes.writeUInt8(0x80 | (bytes.readUInt8(8) & 0x3f), 8)
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}

// The first thousand are a minute apart, the others half a second, so that all of them are in the past.
const minutesTo = (index: number): number => (index < 1000 ? index : 1000 + (index - 1000) / 120)

/** The range of all ids of the demo. Their times are weeks after a fixed day in the past, so no other row has such an id. */
export const demoIdRange = [uuidAt(firstMs), uuidAt(firstMs + 90 * 86_400_000)] as const

function uuidAt(ms: number): string {
  return ms
    .toString(16)
    .padStart(12, '0')
    .replace(/^(.{8})(.{4})$/, '$1-$2-0000-0000-000000000000')
}
