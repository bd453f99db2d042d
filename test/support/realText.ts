/**
 * Names and titles as people write them: every script, direction and spelling that a text of the product must keep. Each is a line of
 * at most 60 UTF-16 units, except the last, and in its stored form: trimmed.
 */
export const realTexts = {
  umlauts: 'Größe, Übermut & Ärger für Jörg',
  vietnamese: 'Đặng Văn Đức: học đàn',
  turkish: 'İstanbul’da ışık, Iğdır',
  icelandic: 'Ísland og Þór',
  russian: 'Русский язык: щука',
  greek: 'Ελληνικά, ούζο',
  arabic: 'دورة العربية (1): مقدمة!',
  arabicWithMarks: 'العَرَبِيَّة\u200f (2)',
  hebrew: 'שָׁלוֹם עולם!',
  chinese: '書法入門：第一課',
  rareChinese: '𠮷野家',
  japanese: 'はじめての陶芸ｺｰｽ',
  korean: '한국어 배우기',
  hindi: 'हिन्दी की कक्षा',
  thai: 'ภาษาไทยเบื้องต้น',
  persian: 'می\u200cخواهم بخوانم',
  emoji: '👩‍👩‍👧‍👦 Family 🏳️‍🌈 1️⃣ 👍🏽',
  decomposed: 'Café à la crème'.normalize('NFD'),
  stackedMarks: 'Z\u0301\u0328\u0302 algo',
  quotes: `O’Brien's "Pots" „so“ «là» \`x\``,
  markup: '<b>Pots</b> & kilns &amp; <!-- -->',
  punctuation: 'a,b;c|d\\e/f?g#h%i=j+k@l',
  formula: 'Sum: =1+1, -2, @home',
} as const

/** A long name of 200 characters in several scripts. */
export const longText = `${'Żółć 語 '.repeat(40)}`.slice(0, 200).trim()
