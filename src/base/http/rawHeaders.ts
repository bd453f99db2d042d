import type { ClientRequest, ServerResponse } from 'node:http'

/** Returns the headers of a response as Node's `writeHead` takes them: names and values in turn. `without` has names in lower case. */
export function rawHeadersOf(response: ServerResponse, without: ReadonlySet<string>): string[] {
  // Node's types declare the method for requests only; both inherit it from the same class.
  const { getRawHeaderNames } = response as unknown as Pick<ClientRequest, 'getRawHeaderNames'>
  const names = getRawHeaderNames.call(response).filter((name) => !without.has(name.toLowerCase()))
  return names.flatMap((name) => [response.getHeader(name)].flat().flatMap((value) => [name, String(value)]))
}
