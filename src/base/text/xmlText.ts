import { escapeHtml } from './escapeHtml.ts'

/** Escapes a text for XML 1.0, without the characters that XML cannot contain. */
export const xmlText = (text: string): string =>
  escapeHtml(text.toWellFormed().replace(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, ''))
