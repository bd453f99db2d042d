import { Problem } from '../problem.ts'
import type { Step } from './inOrder.ts'

interface PlainPaths {
  /** True for the path of a document, which is the same for everybody. */
  isDocument(path: string): boolean
  isEndpoint(path: string): boolean
}

/**
 * Answers a document under its path with doubled slashes or one at the end, as people type an issuer: the path can mean nothing else, and
 * clients of metadata follow no redirect. An endpoint is reached under its own path only, and the error names it.
 */
export const plainSlashes =
  ({ isDocument, isEndpoint }: PlainPaths): Step =>
  (ctx) => {
    const { path, method } = ctx
    if (!path.includes('//') && !path.endsWith('/')) return
    const plain = path.replaceAll(/\/{2,}/g, '/').replace(/(?<=.)\/$/, '')
    if (plain === path) return
    if (isDocument(plain) && (method === 'GET' || method === 'HEAD')) ctx.path = plain
    else if (isEndpoint(plain)) {
      const address = ctx.state.school.issuer + plain
      throw new Problem('not_found', { description: `There is nothing here. The endpoint is at ${address}, without another slash.` })
    }
  }
