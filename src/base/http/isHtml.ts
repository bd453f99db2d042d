import type { ServerResponse } from 'node:http'

export function isHtml(response: ServerResponse): boolean {
  const type = response.getHeader('Content-Type')
  return typeof type === 'string' && type.startsWith('text/html')
}
