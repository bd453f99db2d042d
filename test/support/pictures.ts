import { crc32 } from 'node:zlib'

/** Exif data with these entries of its first directory: tag, type and value of four bytes. Big-endian. */
export function exif(entries: readonly (readonly [tag: number, type: number, value: number])[]): Buffer {
  const tiff = Buffer.alloc(8 + 2 + entries.length * 12 + 4)
  tiff.write('MM\0*', 'latin1')
  tiff.writeUInt32BE(8, 4)
  tiff.writeUInt16BE(entries.length, 8)
  entries.forEach(([tag, type, value], index) => {
    const at = 10 + index * 12
    tiff.writeUInt16BE(tag, at)
    tiff.writeUInt16BE(type, at + 2)
    tiff.writeUInt32BE(1, at + 4)
    if (type === 3) tiff.writeUInt16BE(value, at + 8)
    else tiff.writeUInt32BE(value, at + 8)
  })
  return tiff
}

/** Exif data of a phone: the orientation, the camera, the author, and where it was. */
const phoneExif = (orientation: number): Buffer =>
  Buffer.concat([
    exif([
      [0x010f, 2, 0x53454352],
      [0x0112, 3, orientation],
      [0x013b, 2, 0x53454352],
      [0x8825, 4, 8],
    ]),
    Buffer.from('SECRET'),
  ])

const xmp = '<x:xmpmeta><exif:GPSLatitude>52,30N SECRET</exif:GPSLatitude></x:xmpmeta>'

const segment = (marker: number, content: Buffer): Buffer => {
  const head = Buffer.from([0xff, marker, 0, 0])
  head.writeUInt16BE(content.length + 2, 2)
  return Buffer.concat([head, content])
}

/** A JPEG of 3 × 2 pixels, as far as its structure goes, with metadata of every kind, and a video behind it. */
export const phoneJpeg = (orientation: number): Buffer =>
  Buffer.concat([
    Buffer.from([0xff, 0xd8]),
    segment(0xe0, Buffer.from('JFIF\0\x01\x01\0\0\x01\0\x01\0\0', 'latin1')),
    segment(0xe1, Buffer.concat([Buffer.from('Exif\0\0'), phoneExif(orientation)])),
    segment(0xe1, Buffer.from(`http://ns.adobe.com/xap/1.0/\0${xmp}`)),
    segment(0xe2, Buffer.from('ICC_PROFILE\0\x01\x01colours')),
    segment(0xe2, Buffer.from('MPF\0SECRET')),
    segment(0xed, Buffer.from('Photoshop 3.0\x008BIMSECRET')),
    segment(0xfe, Buffer.from('SECRET')),
    segment(0xc0, Buffer.from([8, 0, 2, 0, 3, 1, 1, 0x11, 0])),
    segment(0xda, Buffer.from([1, 1, 0, 0, 63, 0])),
    Buffer.from([1, 2, 0xff, 0, 3, 0xff, 0xd0, 4, 0xff, 0xd9]),
    Buffer.from('a video: SECRET'),
  ])

const chunk = (type: string, content: Buffer): Buffer => {
  const named = Buffer.concat([Buffer.from(type), content])
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(content.length)
  sum.writeUInt32BE(crc32(named))
  return Buffer.concat([length, named, sum])
}

/** A PNG of 3 × 2 pixels, as far as its structure goes, with metadata of every kind. */
export const phonePng = (orientation: number): Buffer =>
  Buffer.concat([
    Buffer.from('89504e470d0a1a0a', 'hex'),
    chunk('IHDR', Buffer.from([0, 0, 0, 3, 0, 0, 0, 2, 8, 2, 0, 0, 0])),
    chunk('iCCP', Buffer.from('colours')),
    chunk('eXIf', phoneExif(orientation)),
    chunk('tEXt', Buffer.from('Author\0SECRET')),
    chunk('iTXt', Buffer.from(`XML:com.adobe.xmp\0\0\0\0\0${xmp}`)),
    chunk('tIME', Buffer.from('SECRET.')),
    chunk('caBX', Buffer.from('SECRET')),
    chunk('IDAT', Buffer.from('pixels')),
    chunk('IEND', Buffer.alloc(0)),
    Buffer.from('SECRET'),
  ])

const riff = (type: string, content: Buffer): Buffer => {
  const head = Buffer.alloc(8)
  head.write(type)
  head.writeUInt32LE(content.length, 4)
  return Buffer.concat([head, content, Buffer.alloc(content.length % 2)])
}

/** A WebP of 3 × 2 pixels, as far as its structure goes, with Exif and XMP. */
export const phoneWebp = (orientation: number): Buffer =>
  riff(
    'RIFF',
    Buffer.concat([
      Buffer.from('WEBP'),
      riff('VP8X', Buffer.from([0x2c, 0, 0, 0, 2, 0, 0, 1, 0, 0])),
      riff('ICCP', Buffer.from('colours')),
      riff('VP8 ', Buffer.from('3001009d012a030002000000000000', 'hex')),
      riff('EXIF', phoneExif(orientation)),
      riff('XMP ', Buffer.from(xmp)),
    ]),
  )

/** An animated GIF, as far as its structure goes, with a comment and XMP. */
export const commentedGif = (): Buffer =>
  Buffer.concat([
    Buffer.from('474946383961030002008000000000000000ff', 'hex'),
    Buffer.from('21ff0b4e45545343415045322e300301000000', 'hex'),
    Buffer.concat([Buffer.from([0x21, 0xfe, 6]), Buffer.from('SECRET'), Buffer.from([0])]),
    Buffer.concat([
      Buffer.from([0x21, 0xff, 11]),
      Buffer.from('XMP DataXMP'),
      Buffer.from([xmp.length]),
      Buffer.from(xmp),
      Buffer.from([0]),
    ]),
    Buffer.from('2c000000000300020000020203004c0a003b', 'hex').subarray(0, 10),
    Buffer.from([2, 1, 0x44, 0, 0x3b]),
    Buffer.from('SECRET'),
  ])

const box = (type: string, ...contents: (Buffer | string)[]): Buffer => {
  const content = Buffer.concat(contents.map((one) => (typeof one === 'string' ? Buffer.from(one, 'latin1') : one)))
  const head = Buffer.alloc(8)
  head.writeUInt32BE(content.length + 8)
  head.write(type, 4)
  return Buffer.concat([head, content])
}

const numbers = (...values: number[]): Buffer => {
  const bytes = Buffer.alloc(values.length * 4)
  for (const [index, value] of values.entries()) bytes.writeUInt32BE(value, index * 4)
  return bytes
}

/** An AVIF, as far as its boxes go, with an Exif item and an XMP item behind the pixels. */
export function phoneAvif(): Buffer {
  const [pixels, exifItem, xmpItem] = [Buffer.from('pixels'), Buffer.concat([numbers(0), phoneExif(6)]), Buffer.from(xmp)]
  const infe = (id: number, type: string) => box('infe', Buffer.from([2, 0, 0, 0, 0, id, 0, 0]), `${type}\0`)
  const withPlaces = (first: number): Buffer => {
    const iloc = [pixels, exifItem, xmpItem].map((item, index, all) => {
      const from = first + all.slice(0, index).reduce((sum, one) => sum + one.length, 0)
      return Buffer.concat([Buffer.from([0, index + 1, 0, 0, 0, 1]), numbers(from, item.length)])
    })
    return Buffer.concat([
      box('ftyp', 'avif', numbers(0), 'avifmif1'),
      box(
        'meta',
        numbers(0),
        box('hdlr', numbers(0, 0), 'pict', numbers(0, 0, 0), '\0'),
        box('iinf', Buffer.from([0, 0, 0, 0, 0, 3]), infe(1, 'av01'), infe(2, 'Exif'), infe(3, 'mime')),
        box('iloc', numbers(0), Buffer.from([0x44, 0, 0, 3]), ...iloc),
      ),
      box('mdat', pixels, exifItem, xmpItem),
    ])
  }
  return withPlaces(withPlaces(0).indexOf('mdat') + 4)
}
