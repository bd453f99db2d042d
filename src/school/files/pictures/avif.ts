import { kindsOfXmp, orientationOnly, readExif } from './exif.ts'
import { PictureParts } from './pictureParts.ts'

/** A box (ISO/IEC 14496-12): the range of its content. */
interface Box {
  type: string
  from: number
  to: number
}

/** Boxes, items and extents that are read. */
const most = 10_000

/**
 * Copies an AVIF and overwrites its Exif and XMP items, because the positions of all items are numbers in the file. The orientation is not
 * in Exif but in properties of the picture (MIAF), which stay.
 */
export function cleanAvif(source: Buffer): PictureParts {
  const parts = new PictureParts(source)
  parts.keep(0, source.length)
  const { bytes } = parts
  const boxes = boxesIn(bytes, 0, bytes.length)
  for (const { type, from, to } of boxes) {
    if (type !== 'uuid') continue
    bytes.fill(0, from + 16, to)
    parts.drop(['other'])
  }
  const meta = boxes.find(({ type }) => type === 'meta')
  if (!meta) return parts
  const inMeta = boxesIn(bytes, meta.from + 4, meta.to)
  const named = metadataItems(
    bytes,
    inMeta.find(({ type }) => type === 'iinf'),
  )
  const data = inMeta.find(({ type }) => type === 'idat')
  // Extents can overlap: in total, no more than the file is overwritten.
  let left = bytes.length
  for (const { item, from, to } of placesOf(
    bytes,
    inMeta.find(({ type }) => type === 'iloc'),
    data,
  )) {
    const kind = named.get(item)
    left -= Math.max(0, to - from)
    if (kind === undefined || from >= to || left < 0) continue
    const content = bytes.subarray(from, to)
    parts.drop(kind === 'Exif' ? readExif(content.subarray(4)).kinds : kindsOfXmp(content))
    content.fill(kind === 'Exif' ? 0 : ' ')
    // An upright orientation, so that decoders can read the item.
    if (kind === 'Exif') orientationOnly(8).fill(1, 19, 20).copy(content, 4)
  }
  return parts
}

/** Returns the boxes of a range. A box that ends outside of it ends with it. */
function boxesIn(bytes: Buffer, from: number, to: number): Box[] {
  const boxes: Box[] = []
  let at = from
  while (at + 8 <= to && boxes.length < most) {
    const size = bytes.readUInt32BE(at)
    const isLarge = size === 1 && at + 16 <= to
    const length = isLarge ? Number(bytes.readBigUInt64BE(at + 8)) : size === 0 ? to - at : size
    const end = Math.min(to, at + Math.max(length, 8))
    boxes.push({ type: bytes.toString('latin1', at + 4, at + 8), from: at + (isLarge ? 16 : 8), to: end })
    at = end
  }
  return boxes
}

function metadataItems(bytes: Buffer, box: Box | undefined): Map<number, 'Exif' | 'mime'> {
  const items = new Map<number, 'Exif' | 'mime'>()
  if (!box || box.from + 8 > box.to) return items
  const start = box.from + (bytes[box.from] === 0 ? 6 : 8)
  for (const { type, from, to } of boxesIn(bytes, start, box.to)) {
    const version = bytes[from] ?? 0
    const isLong = version > 2
    if (type !== 'infe' || version < 2 || from + (isLong ? 14 : 12) > to) continue
    const kind = bytes.toString('latin1', from + (isLong ? 10 : 8), from + (isLong ? 14 : 12))
    if (kind === 'Exif' || kind === 'mime') items.set(isLong ? bytes.readUInt32BE(from + 4) : bytes.readUInt16BE(from + 4), kind)
  }
  return items
}

/** Returns where the bytes of the items are, from the `iloc` box. Their positions count from the file, or from the `idat` box. */
function placesOf(bytes: Buffer, box: Box | undefined, data: Box | undefined): { item: number; from: number; to: number }[] {
  const places: { item: number; from: number; to: number }[] = []
  if (!box) return places
  let at = box.from
  const read = (size: number): number => {
    const value = size === 0 || at + size > box.to ? 0 : size === 8 ? Number(bytes.readBigUInt64BE(at)) : bytes.readUIntBE(at, size)
    at += size
    return value
  }
  const version = read(4) >>> 24
  const sizes = read(2)
  const sizeOf = (shift: number): number => ({ 0: 0, 4: 4, 8: 8 })[(sizes >> shift) & 0x0f] ?? 0
  const [offsetSize, lengthSize, baseSize, indexSize] = [sizeOf(12), sizeOf(8), sizeOf(4), version > 0 ? sizeOf(0) : 0]
  const items = read(version < 2 ? 2 : 4)
  for (let index = 0; index < items && at < box.to && places.length < most; index++) {
    const item = read(version < 2 ? 2 : 4)
    const isInData = version > 0 && (read(2) & 0x0f) === 1
    read(2)
    const base = read(baseSize) + (isInData ? (data?.from ?? bytes.length) : 0)
    const extents = read(2)
    for (let extent = 0; extent < extents && at < box.to && places.length < most; extent++) {
      read(indexSize)
      const from = Math.min(bytes.length, base + read(offsetSize))
      const length = read(lengthSize)
      places.push({ item, from, to: Math.min(bytes.length, length === 0 ? bytes.length : from + length) })
    }
  }
  return places
}
