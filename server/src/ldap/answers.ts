/*
 * Parses LDAP responses from an untrusted server: every length is checked against the bytes received, and nothing is
 * parsed twice (RFC 4511, section 4; RFC 2696 for paging).
 */

/** Thrown when the directory sends data that is not valid LDAP. */
export class Malformed extends Error {
  constructor() {
    super('this is not a response of a directory')
    this.name = 'Malformed'
  }
}

/** Maximum message size in bytes. A group with 50 000 members takes about 5 MB. */
export const MOST_MESSAGE_BYTES = 16 * 1024 * 1024

interface Element {
  tag: number
  value: Buffer
}

/** A directory entry. Attribute names are lowercase and without options. */
export interface LdapEntry {
  dn: string
  attributes: Map<string, Buffer[]>
  /** Attributes for which the directory sent only the first values: `member;range=0-1499`. */
  cut: Set<string>
}

/**
 * A response. `page`: cookie for the next page; empty on the last page, null if the directory does not support paging.
 */
export type LdapAnswer = { id: number } & (
  | { type: 'entry'; entry: LdapEntry }
  | { type: 'result'; code: number; page: Buffer | null }
  | { type: 'other' }
)

/** Start and end offsets of the value of the element at `at`; null if the element's header is incomplete. */
export function extentOf(bytes: Buffer, at: number): { start: number; end: number } | null {
  if (bytes.length < at + 2) return null
  const first = bytes[at + 1]!
  if (first < 0x80) return { start: at + 2, end: at + 2 + first }
  const count = first & 0x7f
  if (count === 0 || count > 4) throw new Malformed()
  const start = at + 2 + count
  if (bytes.length < start) return null
  return { start, end: start + bytes.readUIntBE(at + 2, count) }
}

function elementsOf(bytes: Buffer): Element[] {
  const found: Element[] = []
  for (let at = 0; at < bytes.length;) {
    const extent = extentOf(bytes, at)
    if (!extent || extent.end > bytes.length) throw new Malformed()
    found.push({ tag: bytes[at]!, value: bytes.subarray(extent.start, extent.end) })
    at = extent.end
  }
  return found
}

function valueOf(element: Element | undefined, tag: number): Buffer {
  if (element?.tag !== tag) throw new Malformed()
  return element.value
}

function numberOf(element: Element | undefined, tag: number): number {
  const value = valueOf(element, tag)
  if (value.length === 0 || value.length > 4) throw new Malformed()
  return value.readIntBE(0, value.length)
}

const SEQUENCE = 0x30
const SET = 0x31
const INTEGER = 0x02
const TEXT = 0x04
const ENUMERATED = 0x0a
const CONTROLS = 0xa0
const PAGES = '1.2.840.113556.1.4.319'

function entryOf(bytes: Buffer): LdapEntry {
  const [dn, list] = elementsOf(bytes)
  const attributes = new Map<string, Buffer[]>()
  const cut = new Set<string>()
  for (const attribute of elementsOf(valueOf(list, SEQUENCE))) {
    const [type, values] = elementsOf(valueOf(attribute, SEQUENCE))
    const [name = '', ...options] = valueOf(type, TEXT).toString('latin1').toLowerCase().split(';')
    if (options.some((it) => /^range=\d+-\d+$/.test(it))) cut.add(name)
    const before = attributes.get(name) ?? []
    attributes.set(name, [...before, ...elementsOf(valueOf(values, SET)).map((value) => valueOf(value, TEXT))])
  }
  return { dn: valueOf(dn, TEXT).toString('utf8'), attributes, cut }
}

function pageOf(controls: Element | undefined): Buffer | null {
  if (!controls) return null
  for (const control of elementsOf(valueOf(controls, CONTROLS))) {
    const parts = elementsOf(valueOf(control, SEQUENCE))
    if (valueOf(parts[0], TEXT).toString('latin1') !== PAGES) continue
    const [pages] = elementsOf(valueOf(parts.at(-1), TEXT))
    const [, cookie] = elementsOf(valueOf(pages, SEQUENCE))
    return valueOf(cookie, TEXT)
  }
  return null
}

/** Tags of bind, search and extended responses. */
const results: readonly number[] = [0x61, 0x65, 0x78]
const ENTRY = 0x64

/** Parses one complete message. Throws `Malformed` if it is not valid LDAP. */
export function readAnswer(bytes: Buffer): LdapAnswer {
  const [message, ...more] = elementsOf(bytes)
  if (more.length > 0) throw new Malformed()
  const [idElement, operation, controls] = elementsOf(valueOf(message, SEQUENCE))
  const id = numberOf(idElement, INTEGER)
  if (!operation) throw new Malformed()
  const { tag, value } = operation
  if (tag === ENTRY) return { id, type: 'entry', entry: entryOf(value) }
  if (results.includes(tag))
    return { id, type: 'result', code: numberOf(elementsOf(value)[0], ENUMERATED), page: pageOf(controls) }
  return { id, type: 'other' }
}
