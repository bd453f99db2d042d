import type { Texts } from './texts.ts'

export interface FactorSetup {
  qr: { size: number; path: string; label: string; typed: string; secret: string } | undefined
  /** Recovery codes. They are shown once. */
  codes: readonly string[]
  /** How a person keeps the codes: a file, and buttons that the script of the pages shows. */
  save?: { href: string; filename: string; download: string; copy: string; copied: string; print: string } | undefined
}

/** Returns recovery codes with the link to a file that contains them. The file is in the page, so nothing else stores or serves it. */
export function recoveryCodes(texts: Texts, school: string, codes: readonly string[]): FactorSetup {
  if (codes.length === 0) return { qr: undefined, codes }
  const text = [texts.text('recovery_codes.file_heading', { school }), '', ...codes, ''].join('\r\n')
  return {
    qr: undefined,
    codes,
    save: {
      href: `data:text/plain;charset=utf-8,${encodeURIComponent(text)}`,
      filename: `${texts.text('recovery_codes.file_name')}.txt`,
      download: texts.text('recovery_codes.download'),
      copy: texts.text('recovery_codes.copy'),
      copied: texts.text('recovery_codes.copied'),
      print: texts.text('recovery_codes.print'),
    },
  }
}
