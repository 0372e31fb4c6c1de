import { expect, it } from 'vitest'
import { assertionXml, makeSamlKey, signedResponse, wrapped, type Said } from '../../testing/outside/saml-response'
import { readSigned } from './signed'
import { namespaces, parseXml } from './xml'

const key = makeSamlKey()
const said: Said = { acs: 'https://here.example', audience: 'https://here.example', requestId: '_r', sub: 'ada' }

const assertionsIn = (xml: string): Element[] =>
  Array.from(parseXml(xml, { comments: 'refused' }).getElementsByTagNameNS(namespaces.assertion, 'Assertion'))
const read = (assertion: Element, xml: string, certificates = [key.cert]) => {
  try {
    return readSigned(assertion, xml, certificates).textContent ?? ''
  } catch {
    return 'refused'
  }
}

it('an assertion is read as its key has signed it, with several certificates as with one', () => {
  const xml = signedResponse(said, { key })
  const others = [makeSamlKey().cert, makeSamlKey().cert]
  expect(read(assertionsIn(xml)[0]!, xml)).toContain('ada')
  expect(read(assertionsIn(xml)[0]!, xml, [...others, key.cert])).toContain('ada')
  expect(read(assertionsIn(xml)[0]!, xml, others)).toBe('refused')
})

it.each([3, 4, 5, 6, 7, 8])(
  'whatever assertion of a wrapped one is looked at, nothing unsigned is read: way %i',
  (way) => {
    const xml = wrapped(way, said, { ...said, sub: 'root' }, key)
    const all = assertionsIn(xml)
    expect(all).toHaveLength(2)
    expect(assertionXml({ ...said, sub: 'root' })).toContain('root')
    for (const assertion of all) expect(read(assertion, xml)).not.toContain('root')
  },
)
