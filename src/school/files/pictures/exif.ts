import type { MetadataKind } from './pictureParts.ts'

export interface ExifFacts {
  orientation: number | undefined
  kinds: MetadataKind[]
}

/** Entries of one directory that are read. Cameras write fewer than a hundred. */
const maxEntries = 512

const orientationTag = 0x0112
const exifDirectoryTag = 0x8769

const kindOfTag = new Map<number, MetadataKind>([
  ...[0x8825].map((tag) => [tag, 'gps'] as const),
  // Make, model, software, serial numbers, lens.
  ...[0x010f, 0x0110, 0x0131, 0xa431, 0xa432, 0xa433, 0xa434, 0xa435, 0xc62f].map((tag) => [tag, 'camera'] as const),
  // Artist, copyright, author of Windows, owner of the camera.
  ...[0x013b, 0x8298, 0x9c9d, 0xa430].map((tag) => [tag, 'author'] as const),
  ...[0x0132, 0x9003, 0x9004].map((tag) => [tag, 'time'] as const),
])

/** Reads the orientation and the kinds of facts from Exif data: a TIFF header and two directories (CIPA DC-008). Reads nothing twice. */
export function readExif(tiff: Buffer): ExifFacts {
  const isLittle = tiff.toString('latin1', 0, 4) === 'II*\0'
  if (!isLittle && tiff.toString('latin1', 0, 4) !== 'MM\0*') return { orientation: undefined, kinds: ['exif'] }
  const short = (at: number): number => (at < 0 || at + 2 > tiff.length ? 0 : isLittle ? tiff.readUInt16LE(at) : tiff.readUInt16BE(at))
  const long = (at: number): number => (at < 0 || at + 4 > tiff.length ? 0 : isLittle ? tiff.readUInt32LE(at) : tiff.readUInt32BE(at))
  const kinds = new Set<MetadataKind>()
  let orientation: number | undefined
  let exifDirectory = 0
  const readDirectory = (at: number): number => {
    const count = Math.min(short(at), maxEntries)
    for (let index = 0; index < count; index++) {
      const entry = at + 2 + index * 12
      const tag = short(entry)
      if (tag === orientationTag) orientation = short(entry + 8)
      else if (tag === exifDirectoryTag) exifDirectory = long(entry + 8)
      else kinds.add(kindOfTag.get(tag) ?? 'exif')
    }
    return long(at + 2 + count * 12)
  }
  const first = long(4)
  if (first >= 8 && readDirectory(first) !== 0) kinds.add('thumbnail')
  const second = exifDirectory
  if (second >= 8 && second !== first) readDirectory(second)
  return { orientation: orientation !== undefined && orientation >= 1 && orientation <= 8 ? orientation : undefined, kinds: [...kinds] }
}

/** Returns Exif data that states the orientation only; empty for an upright picture, which is the default. */
export function orientationOnly(orientation: number | undefined): Buffer {
  if (orientation === undefined || orientation === 1) return Buffer.alloc(0)
  const tiff = Buffer.from('4d4d002a00000008000101120003000000010000000000000000', 'hex')
  tiff.writeUInt16BE(orientation, 18)
  return tiff
}

export function kindsOfXmp(xmp: Buffer): MetadataKind[] {
  const mentions = (...names: string[]): boolean => names.some((name) => xmp.includes(name))
  return [
    'xmp',
    ...(mentions('GPSLatitude', 'GPSLongitude', 'Iptc4xmpExt:Location') ? (['gps'] as const) : []),
    ...(mentions('SerialNumber', 'tiff:Model', 'tiff:Make') ? (['camera'] as const) : []),
    ...(mentions('dc:creator', 'dc:rights', 'photoshop:Credit') ? (['author'] as const) : []),
  ]
}
