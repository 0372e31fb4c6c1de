import { isVisible } from '@mainstay/contract/core/names'
import type { LdapEntry } from './answers'

const decoder = new TextDecoder('utf-8', { fatal: true })
const MOST_CHARACTERS = 255

function textOf(bytes: Buffer): string | null {
  try {
    return decoder.decode(bytes).trim().normalize('NFC')
  } catch {
    return null
  }
}

const valuesOf = ({ attributes }: LdapEntry, name: string): Buffer[] => attributes.get(name.toLowerCase()) ?? []

/** Values that are texts. */
export const textsOf = (entry: LdapEntry, name: string): string[] =>
  valuesOf(entry, name).flatMap((value) => textOf(value) ?? [])

/** The one value that people are to see, or sign in with: the first by the alphabet, since directories have no order. */
export const nameOf = (entry: LdapEntry, name: string): string | null =>
  textsOf(entry, name)
    .filter((text) => text !== '' && text.length <= MOST_CHARACTERS && isVisible.test(text))
    .toSorted()[0] ?? null

/** As Active Directory writes it: the first three parts are numbers of little end. */
function guidOf(bytes: Buffer): string {
  const turned = Buffer.from(bytes)
  turned.subarray(0, 4).reverse()
  turned.subarray(4, 6).reverse()
  turned.subarray(6, 8).reverse()
  return turned.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}

/** What tells an entry from all others; null where the attribute is missing, has several values, or is too long. */
export function idOf(entry: LdapEntry, name: string): string | null {
  const [value, ...more] = valuesOf(entry, name)
  if (value === undefined || more.length > 0 || value.length === 0) return null
  if (/guid$/i.test(name) && value.length === 16) return guidOf(value)
  const text = textOf(value)
  const id = text !== null && isVisible.test(text) ? text : value.toString('hex')
  return id === '' || id.length > MOST_CHARACTERS ? null : id
}
