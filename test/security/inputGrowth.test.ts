import { Readable } from 'node:stream'
import type { Context } from 'koa'
import { expect, test } from 'vitest'
import { parse as parseYaml } from 'yaml'
import { readJson } from '../../src/base/http/readJson.ts'
import { parseTraceparent } from '../../src/base/log/traceContext.ts'
import { loopbackUriError } from '../../src/base/net/loopbackUri.ts'
import { addressKey } from '../../src/base/net/networkKey.ts'
import { privateUseScheme } from '../../src/base/net/privateUseUri.ts'
import { isLinkable } from '../../src/base/net/webUrl.ts'
import { browserName } from '../../src/base/text/browserName.ts'
import { normaliseEmail } from '../../src/base/text/emailAddress.ts'
import { redirectTextError } from '../../src/base/text/redirectText.ts'
import { skeleton } from '../../src/base/text/skeleton.ts'
import { unreadable } from '../../src/base/text/visibleText.ts'
import { paramsError } from '../../src/engine/mcp/paramsError.ts'
import { documentUrlError, readClientDocument } from '../../src/identity/clients/clientDocument.ts'
import { canonicalise } from '../../src/identity/oidc/readEngineForm.ts'
import { fasterThanInput, nested, testGrowth, texts } from './growth.ts'
import { defineCase, filled, type ParserCase } from './inputCosts.ts'

/** Reads a JSON body as the API does, with limits that the inputs of this test do not reach. */
const readBodyOf = (text: string): Promise<unknown> => {
  const request = Object.assign(Readable.from([Buffer.from(text)]), { headers: {} })
  const context = { req: request, request: {}, state: {}, get: () => 'application/json' } as unknown as Context
  return readJson(context, { types: ['application/json'], maxBytes: 64_000_000, maxDepth: 64 })
}

const rules = { trustedHosts: ['app.example'], loopbackHosts: ['127.0.0.1'], maxRedirectUris: 10, privateUseSchemes: [] }
const documentUrl = 'https://app.example/client.json'

const cases: readonly ParserCase[] = [
  ...(
    [
      ['length of a text', (n) => JSON.stringify('a'.repeat(n))],
      ['escapes in a text', (n) => `"${'\\u00e9'.repeat(n)}"`],
      ['number of values', (n) => `[${'1,'.repeat(n)}1]`],
      ['number of members', (n) => `{${Array.from({ length: n }, (_, index) => `"a${index}":1`).join()}}`],
      ['repeated members', (n) => `{${'"a":1,'.repeat(n)}"a":1}`],
      ['depth of lists', nested('[', ']')],
      ['depth of objects', (n) => `${'{"a":'.repeat(n)}1${'}'.repeat(n)}`],
      ['an unfinished list', (n) => '['.repeat(n)],
      ['digits of a number', (n) => '1'.repeat(n)],
      ['white space', (n) => `${' '.repeat(n)}1`],
    ] as [string, (n: number) => string][]
  ).map(([grows, input]) => defineCase({ parser: 'JSON body', grows, size: 50_000, input, parse: readBodyOf })),
  ...['a=1&', 'resource=https://a.example/&', 'resource=%20&', '&', '=', '%', '+', 'scope=a+b&'].map((piece) =>
    defineCase({
      parser: 'form and query',
      grows: piece,
      size: 50_000,
      input: (length) => filled(piece, length),
      parse: (text) => canonicalise(new URLSearchParams(text)),
    }),
  ),
  ...texts('User-Agent', (text) => browserName(text)),
  ...texts('traceparent', (text) => parseTraceparent(`00-${text}`)),
  ...texts('address of a caller', (text) => addressKey(text)),
  ...texts('e-mail address', (text) => normaliseEmail(text)),
  ...texts('look of a name', (text) => skeleton(text)),
  ...texts('readable text', (text) => unreadable(text)),
  ...texts('link', (text) => isLinkable(`https://a.example/${text}`)),
  ...texts('URL of a client document', (text) => documentUrlError(`https://a.example/${text}`)),
  ...texts('redirect URI, loopback', (text) => loopbackUriError(`http://127.0.0.1/${text}`, ['127.0.0.1'])),
  ...texts('redirect URI, private-use scheme', (text) => privateUseScheme(`com.example.${text}:/callback`)),
  ...texts('redirect URI, text', (text) => redirectTextError(`http://127.0.0.1/${text}`)),
  ...(
    [
      [
        'length of the name',
        (n) => JSON.stringify({ client_id: documentUrl, client_name: 'a'.repeat(n), redirect_uris: ['http://127.0.0.1/'] }),
      ],
      ['number of redirect URIs', (n) => JSON.stringify({ client_id: documentUrl, redirect_uris: Array(n).fill('http://127.0.0.1/') })],
      ['number of unknown members', (n) => `{${Array.from({ length: n }, (_, index) => `"a${index}":1`).join()}}`],
      ['depth', nested('[', ']')],
    ] as [string, (n: number) => string][]
  ).map(([grows, input]) =>
    defineCase({
      parser: 'client metadata document',
      grows,
      size: 10_000,
      input,
      parse: (text) => readClientDocument(documentUrl, text, rules),
    }),
  ),
  ...(
    [
      ['number of arguments', (n) => Object.fromEntries(Array.from({ length: n }, (_, index) => [`a${index}`, 1]))],
      ['length of an argument', (n) => ({ query: 'a'.repeat(n) })],
    ] as [string, (n: number) => object][]
  ).map(([grows, input]) =>
    defineCase({
      parser: 'MCP message',
      grows,
      size: 10_000,
      input: (n) => ({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'search', arguments: input(n) } }),
      parse: (message) => paramsError(message),
      maxOutput: 1000,
    }),
  ),
  ...(
    [
      ['number of keys', (n) => Array.from({ length: n }, (_, index) => `a${index}: 1`).join('\n')],
      ['length of a text', (n) => `a: ${'b'.repeat(n)}`],
      ['depth', (n) => nested('[', ']')(Math.min(n, 500))],
    ] as [string, (n: number) => string][]
  )
    // The parser compares each key of a map with all others. The files of an operator have hundreds of keys at most.
    .map(([grows, input]) => defineCase({ parser: 'YAML', grows, size: 100, input, parse: (text) => parseYaml(text) })),
]

testGrowth(cases)

test('a quadratic parser is found', async () => {
  const search = (text: string): boolean => /[a-z]+\s*:|&/.test(text)
  const quadratic = defineCase({ parser: 'planted', grows: 'a', size: 2500, input: (n) => 'a'.repeat(n), parse: search })
  // A machine whose speed changes during a measurement can hide the growth once.
  let found: string | undefined
  for (let attempt = 0; attempt < 5 && !found; attempt++) found = await fasterThanInput(quadratic)
  expect(found ?? 'nothing found').toContain('planted')
})
