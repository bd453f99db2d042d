import sanitizeHtml from 'sanitize-html'
import { Problem } from '../../base/problem.ts'

const shapes = ['path', 'rect', 'circle', 'ellipse', 'line', 'polyline', 'polygon', 'text', 'tspan', 'textPath']
const structure = ['svg', 'g', 'defs', 'symbol', 'use', 'title', 'desc', 'marker', 'clipPath', 'mask', 'pattern', 'switch']
const paint = ['linearGradient', 'radialGradient', 'stop', 'filter']
const effects = [
  ...['feBlend', 'feColorMatrix', 'feComponentTransfer', 'feComposite', 'feConvolveMatrix', 'feDiffuseLighting', 'feDisplacementMap'],
  ...['feDistantLight', 'feDropShadow', 'feFlood', 'feFuncA', 'feFuncB', 'feFuncG', 'feFuncR', 'feGaussianBlur', 'feMerge', 'feMergeNode'],
  ...['feMorphology', 'feOffset', 'fePointLight', 'feSpecularLighting', 'feSpotLight', 'feTile', 'feTurbulence'],
]

/** Attributes that only draw. Excludes event handlers, and styles, which can load files. */
const attributes = [
  ...[
    'id',
    'class',
    'xmlns',
    'xmlns:xlink',
    'version',
    'viewBox',
    'preserveAspectRatio',
    'width',
    'height',
    'x',
    'y',
    'x1',
    'x2',
    'y1',
    'y2',
  ],
  ...[
    'cx',
    'cy',
    'r',
    'rx',
    'ry',
    'fx',
    'fy',
    'd',
    'points',
    'transform',
    'pathLength',
    'dx',
    'dy',
    'rotate',
    'textLength',
    'lengthAdjust',
  ],
  ...['fill', 'fill-opacity', 'fill-rule', 'stroke', 'stroke-width', 'stroke-linecap', 'stroke-linejoin', 'stroke-miterlimit'],
  ...['stroke-dasharray', 'stroke-dashoffset', 'stroke-opacity', 'opacity', 'color', 'visibility', 'display', 'overflow', 'clip-path'],
  ...['clip-rule', 'mask', 'filter', 'marker-start', 'marker-mid', 'marker-end', 'font-family', 'font-size', 'font-weight', 'font-style'],
  ...['text-anchor', 'dominant-baseline', 'letter-spacing', 'word-spacing', 'vector-effect', 'paint-order', 'shape-rendering'],
  ...['gradientUnits', 'gradientTransform', 'spreadMethod', 'offset', 'stop-color', 'stop-opacity', 'patternUnits', 'patternTransform'],
  ...['patternContentUnits', 'maskUnits', 'maskContentUnits', 'clipPathUnits', 'markerWidth', 'markerHeight', 'markerUnits', 'orient'],
  ...['refX', 'refY', 'filterUnits', 'primitiveUnits', 'in', 'in2', 'result', 'stdDeviation', 'mode', 'values', 'type', 'operator'],
  ...['k1', 'k2', 'k3', 'k4', 'flood-color', 'flood-opacity', 'lighting-color', 'surfaceScale', 'baseFrequency', 'numOctaves', 'seed'],
  ...[
    'scale',
    'amplitude',
    'exponent',
    'intercept',
    'slope',
    'tableValues',
    'radius',
    'role',
    'aria-label',
    'aria-hidden',
    'href',
    'xlink:href',
  ],
]

const references = new Set(['href', 'xlink:href'])

export const drawingLimits = { bytes: 262_144, depth: 64, elements: 10_000 } as const

/**
 * Returns the drawing without anything that runs code, loads files or refers outside the drawing: scripts, handlers, styles and foreign
 * content.
 * @throws Problem type_not_allowed if no drawing is left; payload_too_large above the limits
 */
export function cleanSvg(text: string): string {
  const notADrawing = (): Problem => new Problem('type_not_allowed', { description: 'The file is not an SVG drawing.' })
  requireAtMost('bytes', Buffer.byteLength(text))
  const root = /<[a-z][\w:-]*/i.exec(text)
  if (root?.[0] !== '<svg') throw notADrawing()
  let depth = 0
  let elements = 0
  // Everything before the drawing, such as a document type with entities, is skipped.
  const cleaned = sanitizeHtml(text.slice(root.index), {
    allowedTags: [...structure, ...shapes, ...paint, ...effects],
    allowedAttributes: { '*': attributes },
    allowedSchemes: [],
    allowProtocolRelative: false,
    parser: { xmlMode: true, lowerCaseTags: false, lowerCaseAttributeNames: false, decodeEntities: true },
    // The content of a forbidden element is removed with it.
    nonTextTags: ['script', 'style', 'foreignObject', 'iframe', 'object', 'embed', 'metadata', 'animate', 'set', 'image'],
    disallowedTagsMode: 'discard',
    transformTags: { '*': (tagName, attribs) => ({ tagName, attribs: Object.fromEntries(Object.entries(attribs).filter(isOwn)) }) },
    // The parser searches all open elements at each closing tag: without these limits its time is quadratic.
    onOpenTag() {
      requireAtMost('depth', ++depth)
      requireAtMost('elements', ++elements)
    },
    onCloseTag() {
      depth -= 1
    },
  })
  const end = cleaned.lastIndexOf('</svg>')
  if (!/^<svg[\s>]/.test(cleaned) || end < 0) throw notADrawing()
  return cleaned.slice(0, end + '</svg>'.length)
}

const rules = {
  bytes: `must have at most ${drawingLimits.bytes} bytes. Simplify its paths, or upload it as PNG or WebP.`,
  depth: `must nest elements at most ${drawingLimits.depth} levels deep. Flatten its groups.`,
  elements: `must have at most ${drawingLimits.elements} elements. Merge its paths, or upload it as PNG or WebP.`,
} as const

function requireAtMost(limit: keyof typeof drawingLimits, found: number): void {
  if (found <= drawingLimits[limit]) return
  const message = `file: an SVG drawing ${rules[limit]}`
  throw new Problem('payload_too_large', {
    description: message,
    details: [{ field: 'file', code: 'max', message, meta: { max: drawingLimits[limit] } }],
  })
}

/** True for an attribute that refers to nothing outside the drawing. */
function isOwn([name, value]: [string, string]): boolean {
  if (references.has(name)) return /^#[\w.:-]+$/.test(value)
  if (name.startsWith('xmlns')) return /^http:\/\/www\.w3\.org\/(2000\/svg|1999\/xlink)$/.test(value)
  return !/[a-z]\s*:|\\|&/i.test(value.replace(/url\(\s*['"]?#[\w.:-]+['"]?\s*\)/g, '')) && !/url\(\s*['"]?(?!#)/i.test(value)
}
