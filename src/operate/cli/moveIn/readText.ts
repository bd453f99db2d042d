import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { failure, usage } from '../failures.ts'
import { moveLimits } from './movedSite.ts'

type Decoder = InstanceType<typeof TextDecoder>

const marks: readonly [string, string][] = [
  ['efbbbf', 'utf-8'],
  ['fffe', 'utf-16le'],
  ['feff', 'utf-16be'],
]

/**
 * Reads a file in pieces of text: in the encoding of its byte order mark or, for XML, of its declaration. Default: UTF-8.
 * @throws CommanderError for a file that is too large, or not in that encoding
 */
export async function* readText(path: string): AsyncGenerator<string> {
  const found = await stat(path).catch(() => undefined)
  if (!found?.isFile()) throw usage(`${path} is not a file`)
  if (found.size > moveLimits.fileBytes)
    throw failure(`${path} has ${found.size} bytes, more than ${moveLimits.fileBytes}: export fewer posts at a time, and import each file`)
  let decoder: Decoder | undefined
  let first = Buffer.alloc(0)
  try {
    for await (const bytes of createReadStream(path, { highWaterMark: 65_536 }) as AsyncIterable<Buffer>) {
      if (decoder) {
        yield decoder.decode(bytes, { stream: true })
        continue
      }
      first = Buffer.concat([first, bytes])
      if (first.length < 200) continue
      decoder = decoderOf(first, path)
      yield decoder.decode(first, { stream: true })
    }
    decoder ??= decoderOf(first, path)
    yield decoder.decode(first.length < 200 ? first : new Uint8Array())
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    throw failure(`${path} is not valid ${decoder?.encoding.toUpperCase() ?? 'UTF-8'}: save it as UTF-8, or export it again`)
  }
}

function decoderOf(bytes: Buffer, path: string): Decoder {
  const [, marked] = marks.find(([mark]) => bytes.subarray(0, mark.length / 2).toString('hex') === mark) ?? []
  const [, declared] = /^\s*<\?xml[^>]{0,100}\sencoding=["']([\w.:-]{1,40})["']/.exec(bytes.subarray(0, 200).toString('latin1')) ?? []
  const name = marked ?? declared ?? 'utf-8'
  try {
    return new TextDecoder(name, { fatal: true })
  } catch {
    throw failure(`${path} has the unknown encoding ${name}: save it as UTF-8`)
  }
}
