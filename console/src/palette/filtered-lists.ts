import { typedLists } from '../nav/known-pages'

const term = /(?:^|\s)-?([\p{L}_]+):\S/gu
const plain = (word: string) => word.toLowerCase().replaceAll('_', '').replace(/s$/, '')

/**
 * The lists that support every filter in the text, such as `status:error` or `tag:web`. Empty if the text has no
 * filter.
 */
export function filteredLists(text: string) {
  const fields = [...text.matchAll(term)].map(([, field]) => plain(field!))
  if (fields.length === 0) return []
  return typedLists().filter(({ kind }) => {
    const known = new Set(Object.keys(kind.filters).map(plain))
    return fields.every((field) => known.has(field))
  })
}
