import type { ServerResponse } from 'node:http'

/** True for the response of a page. */
export function isHtml(response: ServerResponse): boolean {
  const type = response.getHeader('Content-Type')
  return typeof type === 'string' && type.startsWith('text/html')
}
