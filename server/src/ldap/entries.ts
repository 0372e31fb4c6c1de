import { isVisible } from '@mainstay/contract/core/names'
import type { LdapEntry } from './answers'
import { folded, namingValues } from './names'

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

/** Trimmed values of an attribute. Values that are not valid UTF-8 are dropped. */
export const textsOf = (entry: LdapEntry, name: string): string[] =>
  valuesOf(entry, name).flatMap((value) => textOf(value) ?? [])

const usableOf = (entry: LdapEntry, name: string): string[] =>
  textsOf(entry, name)
    .filter((text) => text !== '' && text.length <= MOST_CHARACTERS && isVisible.test(text))
    .toSorted()

/**
 * The value to display: the first in alphabetical order, because directories return values in no particular order. Do
 * not use it as an identifier.
 */
export const shownOf = (entry: LdapEntry, name: string): string | null => usableOf(entry, name)[0] ?? null

/**
 * The name of an entry. If the attribute has several values, uses the name from the last import (`known`), else the one
 * in the distinguished name; never picks an arbitrary value.
 */
export function nameOf(
  entry: LdapEntry,
  attribute: string,
  known?: string,
): { name: string; fault: null } | { name: null; fault: 'name_unusable' | 'name_ambiguous' } {
  const names = usableOf(entry, attribute)
  const [first, ...others] = names
  if (first === undefined) return { name: null, fault: 'name_unusable' }
  if (others.length === 0) return { name: first, fault: null }
  if (known !== undefined && names.includes(known)) return { name: known, fault: null }
  const naming = namingValues(entry.dn, attribute)
  const [name, ...more] = names.filter((it) => naming.includes(folded(it)))
  return name === undefined || more.length > 0 ? { name: null, fault: 'name_ambiguous' } : { name, fault: null }
}

/** Formats a GUID in the style of Active Directory: the first three parts are little-endian. */
function guidOf(bytes: Buffer): string {
  const turned = Buffer.from(bytes)
  turned.subarray(0, 4).reverse()
  turned.subarray(4, 6).reverse()
  turned.subarray(6, 8).reverse()
  return turned.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}

/** Unique ID of an entry; null if the attribute is missing, has several values, or is too long. */
export function idOf(entry: LdapEntry, name: string): string | null {
  const [value, ...more] = valuesOf(entry, name)
  if (value === undefined || more.length > 0 || value.length === 0) return null
  if (/guid$/i.test(name) && value.length === 16) return guidOf(value)
  const text = textOf(value)
  const id = text !== null && isVisible.test(text) ? text : value.toString('hex')
  return id === '' || id.length > MOST_CHARACTERS ? null : id
}
