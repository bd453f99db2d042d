import { nearest } from '../lib/nearest.ts'
import type { SchoolAddress } from './acrossFiles.ts'
import type { ConfigIssue } from './configErrors.ts'
import { isPrivateHost } from './webhooks.ts'

/** Checks the types of webhooks, and that only named hosts are called without TLS. */
export function webhookIssues(schools: readonly SchoolAddress[], known: readonly string[]): ConfigIssue[] {
  return schools.flatMap(({ file }) =>
    (file.value?.webhooks ?? []).flatMap(({ url, types }, at): ConfigIssue[] => {
      const issue = (member: string, path: (string | number)[], expected: string): ConfigIssue => ({
        file: file.file,
        line: file.lineOf(['webhooks', at, ...path]),
        key: `webhooks[${at}].${member}`,
        expected,
      })
      const target = new URL(url)
      const isAllowed = target.protocol === 'https:' || isPrivateHost(target, file.value?.webhook_private_hosts ?? [])
      return [
        ...(isAllowed ? [] : [issue('url', ['url'], 'must begin with https://. Only hosts in webhook_private_hosts can use http://')]),
        ...types.flatMap((type, index) => {
          if (known.includes(type)) return []
          const near = nearest(type, known)
          return [
            issue(
              `types[${index}]`,
              ['types', index],
              `is not a known type${near ? `; did you mean ${near}?` : '. docs/webhooks.md lists them'}`,
            ),
          ]
        }),
      ]
    }),
  )
}
