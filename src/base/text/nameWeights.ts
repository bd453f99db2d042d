/** The weights of a letter or of letters that are ordered as one, at the three levels of the Unicode Collation Algorithm (UTS 10). */
export interface NameWeight {
  unit: string
  /** The weight of the letter, without its accents and case. */
  letter: string
  accent: string
  capital: string
}

const scripts =
  'Arabic Armenian Bengali Bopomofo Cyrillic Devanagari Ethiopic Georgian Greek Gujarati Gurmukhi Hebrew Hiragana Kannada Katakana Khmer Lao Latin Malayalam Myanmar Oriya Sinhala Tamil Telugu Thai Tibetan'
const classOf = (names: readonly string[]): string => names.map((name) => `\\p{Script=${name}}`).join('')
const letters = new RegExp(`[${classOf(scripts.split(' '))}]`, 'u')
/** Punctuation, currencies and marks, without arrows, boxes and other drawings. */
const signs = /(?=[\p{Script=Common}\p{Script=Inherited}])[\0-\u218f\u3000-\u30ff]/u
const expanded: readonly string[] = ['ß ss', 'ẞ SS', 'æ ae', 'Æ AE', 'œ oe', 'Œ OE', 'װ וו', 'ױ וי', 'ײ יי', 'آ ءا']
/** The first Korean and the first Chinese letter: the database puts it before others without weights. */
const firstLetters: ReadonlySet<string> = new Set('가一')
const latin = 'abcdefghijklmnopqrstuvwxyz'

/** Weights begin behind the signs that separate the parts of a key. A key begins with the common weight at most levels, so it is the lowest. */
const common = '!'
const after = (place: number): string => String.fromCodePoint(0x21 + place)
const letterAt = (place: number): string => String.fromCodePoint(0x100 + place)

/**
 * Returns the weights with which the database orders names as `Intl.Collator` of a language does, numbers by their value: for each unit that
 * the language orders. Letters without weights follow in the order of their codes.
 */
export function nameWeights(language: string): NameWeight[] {
  const [base, accents, variants] = (['base', 'accent', 'variant'] as const).map(
    (sensitivity) => new Intl.Collator(language, { sensitivity }).compare,
  )
  if (!base || !accents || !variants) return []
  const characters = charactersOf(base)
  const weights = new Map<string, NameWeight>()
  const isMark = (character: string): boolean => base(character, '') === 0
  const marks = characters.filter((character) => isMark(character)).toSorted(accents)
  marks.forEach((unit, place) => {
    const accent = accents(unit, '') === 0 ? '' : String.fromCodePoint(0x100 + place)
    weights.set(unit, { unit, letter: '', accent, capital: accent === '' ? '' : common })
  })
  const composed = characters.filter((character) => !isMark(character) && isComposed(character, base, accents))
  const expansions = expanded.map((pair) => pair.split(' ')).filter(([unit = '', letters = '']) => base(unit, letters) === 0)
  const without = new Set<string>([...composed, ...expansions.map(([unit = '']) => unit)])
  const contractions = contractionsOf(base)
  const single = [...characters.filter((character) => !isMark(character) && !without.has(character)), ...contractions].toSorted(variants)
  let [letter, accent, capital] = [0, 0, 0]
  single.forEach((unit, place) => {
    const before = single[place - 1] ?? ''
    if (base(before, unit) !== 0) [letter, accent, capital] = [letter + 1, 0, 0]
    else if (accents(before, unit) !== 0) [accent, capital] = [accent + 1, 0]
    else if (variants(before, unit) !== 0) capital += 1
    weights.set(unit, { unit, letter: letterAt(letter), accent: after(accent), capital: after(capital) })
  })
  for (const [unit = '', letters = ''] of expansions) weights.set(unit, behind(joined(unit, letters), accents(unit, letters) !== 0))
  for (const unit of composed) weights.set(unit, joined(unit, unit.normalize('NFD')))
  const pattern = ['[0-9]+', ...contractions, '.'].join('|')
  return [{ unit: '', letter: pattern, accent: '', capital: '' }, ...weights.values()]

  /** Returns the weights of a unit that is ordered as several, with the longest one first. */
  function joined(unit: string, letters: string): NameWeight {
    const parts: NameWeight[] = []
    let rest = [...letters]
    while (rest.length > 0) {
      let length = rest.length
      while (length > 1 && !weights.has(rest.slice(0, length).join('').normalize('NFC'))) length -= 1
      const part = weights.get(rest.slice(0, length).join('').normalize('NFC'))
      if (part) parts.push(part)
      rest = rest.slice(length)
    }
    const [letter, accent, capital] = (['letter', 'accent', 'capital'] as const).map((level) => parts.map((part) => part[level]).join(''))
    return { unit, letter: letter ?? '', accent: accent ?? '', capital: capital ?? '' }
  }
}

/** An unusual spelling of letters comes behind them. */
const behind = (weight: NameWeight, byAccent: boolean): NameWeight =>
  byAccent ? { ...weight, accent: `${weight.accent}\u00ff` } : { ...weight, capital: after(9) + weight.capital.slice(1) }

type Compare = (one: string, other: string) => number

/** Returns the characters that are ordered. Chinese characters are in the order of their codes, unless the language has another one. */
function charactersOf(base: Compare): string[] {
  const hasHan = [...'一万人北王龍'].some((character, place, all) => place > 0 && base(all[place - 1] ?? '', character) >= 0)
  const found: string[] = []
  for (let code = 0x20; code < 0x1fb00; code += 1) {
    if (code === 0xd800) code = 0xe000
    const character = String.fromCodePoint(code)
    const isOrdered =
      code > 0x4e00 && code < 0xa000
        ? hasHan
        : firstLetters.has(character) ||
          (code < 0x10000 && letters.test(character)) ||
          signs.test(character) ||
          /\p{Emoji}/u.test(character)
    if (isOrdered && /[^\p{Cn}\p{Co}]/u.test(character) && character.normalize('NFKC') === character) found.push(character)
  }
  return found
}

/** True if a letter with marks is ordered as the letter followed by its marks, not as a separate letter. */
function isComposed(character: string, base: Compare, accents: Compare): boolean {
  const parts = [...character.normalize('NFD')]
  if (parts.length === 1 || firstLetters.has(character)) return false
  const letters = parts.filter((part) => base(part, '') !== 0)
  return letters.length > 1 || (base(character, letters.join('')) === 0 && accents(character, letters.join('')) > 0)
}

/** Returns the pairs of Latin letters that are ordered as one letter, in every case: `ch` in Czech, `aa` in Danish. */
function contractionsOf(base: Compare): string[] {
  const letters = [...latin].toSorted(base)
  const highest = letters.at(-1) ?? ''
  const pairs = letters.flatMap((one) => letters.map((other) => one + other))
  const found = pairs.filter(
    (pair) => base(pair, pair.charAt(0) + highest + highest) > 0 && base(pair, pair.charAt(0)) > 0 && pair.charAt(1) !== highest,
  )
  return found.flatMap((pair) => {
    const [one = '', other = ''] = pair
    return [pair, one.toUpperCase() + other, one.toUpperCase() + other.toUpperCase(), one + other.toUpperCase()]
  })
}
