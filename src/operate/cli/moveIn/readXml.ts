import { SaxesParser } from 'saxes'
import { failure } from '../failures.ts'
import { moveLimits } from './movedSite.ts'

export interface XmlElement {
  name: string
  attributes: Readonly<Record<string, string>>
  children: XmlElement[]
  text: string
}

interface XmlRules {
  /** The name of an element that is passed to `onElement` and then forgotten, with its children. */
  elements: readonly string[]
  onElement(element: XmlElement): void
}

// XML 1.0 does not allow them, and WordPress writes what authors pasted.
// biome-ignore lint/suspicious/noControlCharactersInRegex: these characters are removed
const impossible = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g

/**
 * Reads an XML file element by element. It has no entities but those of XML: a document type, which could declare others, is refused.
 * @throws CommanderError with line and column for a file that is broken, ends early or is nested too deeply
 */
export async function readXml(pieces: AsyncIterable<string>, path: string, { elements, onElement }: XmlRules): Promise<void> {
  const parser = new SaxesParser()
  const open: XmlElement[] = []
  let count = 0
  const refuse = (reason: string) => failure(`${path} cannot be read: ${reason}. Nothing was imported: export the file again`)
  parser.on('error', ({ message }) => {
    throw refuse(`line ${parser.line}, column ${parser.column}: ${message.replace(/^\d+:\d+: /, '').replace(/[.]$/, '')}`)
  })
  parser.on('doctype', () => {
    throw refuse('it declares a document type, which no export has')
  })
  parser.on('opentag', ({ name, attributes }) => {
    if (open.length >= moveLimits.depth)
      throw refuse(`line ${parser.line}: its elements are nested more than ${moveLimits.depth} levels deep`)
    count += 1
    if (count > moveLimits.elements) throw refuse(`it has more than ${moveLimits.elements} elements`)
    const element = { name, attributes, children: [], text: '' }
    if (elements.some((one) => one === name) || open.some(({ name: above }) => elements.includes(above)))
      open.at(-1)?.children.push(element)
    open.push(element)
  })
  const add = (text: string) => {
    const element = open.at(-1)
    if (!element) return
    if (element.text.length + text.length > moveLimits.text)
      throw refuse(`line ${parser.line}: a text has more than ${moveLimits.text} characters`)
    element.text += text
  }
  parser.on('text', add)
  parser.on('cdata', add)
  parser.on('closetag', () => {
    const element = open.pop()
    if (!element || !elements.includes(element.name)) return
    const above = open.at(-1)
    if (open.some(({ name }) => elements.includes(name))) return
    above?.children.pop()
    onElement(element)
  })
  for await (const piece of pieces) parser.write(piece.replace(impossible, ''))
  parser.close()
}

export const textOf = (element: XmlElement, name: string): string => element.children.find((one) => one.name === name)?.text.trim() ?? ''
