/** Letters without a Unicode decomposition, Cyrillic and Greek, as `letter latin` pairs: the common romanisation without diacritics. */
const general = pairs(
  'ß ss æ ae œ oe ø o ł l đ d ð d þ th ı i ħ h ŋ ng ŧ t ĸ k ŉ n ə e ǝ e ƒ f ɓ b ɗ d ɖ d ƙ k ƴ y ɣ g ɛ e ɔ o ʋ v ɩ i ʒ z ƶ z ǥ g ɨ i ʉ u ɫ l ƀ b ȼ c ɇ e ɉ j ɍ r ɏ y ⱥ a ⱦ t',
  'а a б b в v г g ґ g д d ђ dj ѓ gj е e ё yo є ye ж zh з z ѕ dz и i і i ї yi й y ј j к k ќ kj л l љ lj м m н n њ nj о o п p р r с s т t ћ c у u ў w',
  'ф f х kh ц ts ч ch џ dz ш sh щ shch ъ _ ы y ь _ э e ю yu я ya ѣ e ѳ f ѵ i ә a ғ g қ k ҡ q ҙ z ң n ө o ҫ s ұ u ү u һ h җ j ҳ h ҷ j ӏ _ ҕ g ҝ g ҟ k ҥ ng ҧ p ҩ o ҭ t ҵ ts ҹ j ҽ ch ҿ ch ӡ dz',
  'αυ av αύ av ευ ev εύ ev ου ou ού ou α a β v γ g δ d ε e ζ z η i θ th ι i κ k λ l μ m ν n ξ x ο o π p ρ r σ s ς s τ t υ y φ f χ ch ψ ps ω o',
)

/** Letters that languages romanise in another way. */
const german = pairs('ä ae ö oe ü ue')
const danish = pairs('å aa ø oe')
const byLanguage: ReadonlyMap<string, ReadonlyMap<string, string>> = new Map([
  ['de', german],
  ['da', danish],
  ['nb', danish],
  ['nn', danish],
  ['no', danish],
  ['uk', pairs('г h и y')],
  ['bg', pairs('щ sht ъ a')],
])

const foreign = /(?:[αεο][υύ]|[^ -~])/gu
const accents = /([\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}])\p{M}+/gu

/**
 * Returns a lower-case text with its Latin, Cyrillic and Greek letters as a to z, by the rules of a language (`de`, `pt-BR`) where it has
 * some: `größe` is `grosse`, in German `groesse`. Letters of other scripts stay.
 */
function latinLetters(text: string, language = ''): string {
  const own = byLanguage.get(language.toLowerCase().split('-')[0] ?? '')
  const mapped = (letter: string): string => own?.get(letter) ?? general.get(letter) ?? letter
  const composed = text.normalize('NFC').replace(foreign, mapped)
  return composed.normalize('NFD').replace(accents, '$1').normalize('NFC').replace(foreign, mapped)
}

function pairs(...lists: readonly string[]): ReadonlyMap<string, string> {
  const items = lists.join(' ').split(' ')
  const found = items.flatMap((letter, index) => (index % 2 === 0 ? [[letter, (items[index + 1] ?? '').replace('_', '')] as const] : []))
  return new Map(found)
}

const scripts =
  'Arabic Armenian Bengali Bopomofo Devanagari Ethiopic Georgian Gujarati Gurmukhi Hebrew Kannada Khmer Lao Malayalam Myanmar Oriya Sinhala Tamil Telugu Thaana Thai Tibetan'.split(
    ' ',
  )
// A word has one script, or Latin letters among those of Chinese, Japanese and Korean (UTS 39, "highly restrictive").
const together = 'Han Hiragana Katakana Hangul Bopomofo'.split(' ')
const lettersOf = (names: readonly string[]): string =>
  `[[${names.map((name) => `\\p{Script_Extensions=${name}}`).join('')}]&&[\\p{L}\\p{M}]]`
const oneWord = [`[${lettersOf(together)}a-z0-9]+`, ...scripts.map((script) => `[${lettersOf([script])}0-9]+`)].join('|')
const begin = '(?=[a-z0-9\\p{L}])'
const words = new RegExp(`${begin}(?:${oneWord})`, 'gv')
const wholeWord = new RegExp(`^${begin}(?:${oneWord})$`, 'v')

/** Vowel signs of Arabic and Hebrew and the line that lengthens Arabic letters: writers may leave them out. */
const optionalSigns = /[\u0591-\u05bd\u05bf-\u05c7\u0610-\u061a\u0640\u064b-\u0652\u0670\u06d6-\u06ed]/gu
const invisible = /\p{Default_Ignorable_Code_Point}/gu
const isStored = /^[a-z0-9-]*$/
const withinWords = /(?<=\p{L})['’ʼ‘`´·](?=\p{L})/gu

/**
 * Returns a slug in its stored form: compatibility characters and letters of other scripts that are written as a to z are replaced, upper
 * case and optional vowel signs removed. The result is a slug only if `isSlug` is true for it.
 */
export const normalizedSlug = (text: string): string =>
  isStored.test(text) || text.length > maxTitle ? text : latinDigits(latinLetters(plainForm(text)))

/** True for words joined by hyphens: of a to z and digits, or of another script than Latin, Cyrillic and Greek. */
export const isSlug = (text: string): boolean => text.split('-').every((word) => wholeWord.test(word))

/** Bounds of a generated slug. A longer title keeps its first words. */
const maxCharacters = 92
const maxBytes = 184
/** Longer than any title: the rest of a text is not read. */
const maxTitle = 1000

/**
 * Returns the slug of a title: `Clay, From Scratch!` → `clay-from-scratch`. Umlauts follow the language of the school: `Töpfern` →
 * `toepfern` in German. Empty if the title has no letters and digits.
 */
export function slugOf(title: string, language?: string): string {
  const spoken = plainForm(title.slice(0, maxTitle).replace(invisible, ''))
    .replace(withinWords, '')
    .replace(/(?<=\p{L})\+\+/gu, ' plus plus ')
    .replace(/(?<=\p{L})#/gu, ' sharp ')
  let slug = ''
  for (const word of latinDigits(latinLetters(spoken, language)).match(words) ?? []) {
    const longer = slug === '' ? shortened(word) : `${slug}-${word}`
    if (!fits(longer)) break
    slug = longer
  }
  return slug
}

/** Returns the beginning of a slug, without half a character. */
export function shortened(slug: string, characters = maxCharacters): string {
  let short = ''
  for (const { segment } of new Intl.Segmenter().segment(slug.slice(0, maxCharacters))) {
    if (short.length + segment.length > characters || !fits(short + segment)) break
    short += segment
  }
  return short.replace(/(?<!-)-+$/, '')
}

const fits = (slug: string): boolean => slug.length <= maxCharacters && Buffer.byteLength(slug) <= maxBytes

const plainForm = (text: string): string => text.normalize('NFKC').toLowerCase().normalize('NFKC').replace(optionalSigns, '')

const latinDigits = (text: string): string =>
  text.replace(/[^ -~]/gu, (character) => (digit.test(character) ? digitOf(character) : character))

const digit = /\p{Nd}/u

/** Digits of each script follow each other in Unicode, from zero to nine. */
function digitOf(character: string): string {
  const code = Number(character.codePointAt(0))
  let value = 0
  while (value < 9 && digit.test(String.fromCodePoint(code - value - 1))) value += 1
  return String(value)
}
