/** Returns a telephone number as people write it, such as `+49 (0)30 12-34` or `0049 30 1234`, in the form of E.164 if it names a country. */
export const plainPhone = (typed: string): string =>
  typed
    .normalize('NFKC')
    .replace(/^(\s*(?:\+|00)[^(]*)\(0\)/, '$1')
    .replace(/[\s().\-/\u2010-\u2015\u2212]|\p{Default_Ignorable_Code_Point}/gu, '')
    .replace(/^00(?=[1-9])/, '+')
