import { KiB } from '@mainstay/contract/core/bytes'
import { colorSchemes } from '@mainstay/contract/identity/color-schemes'
import { domainProperties } from '@mainstay/contract/identity/domain-properties'
import { domains } from '@mainstay/contract/identity/domains'
import { GENERAL_THEME, THEME } from '@mainstay/contract/identity/themes'
import { afterEach, describe, expect, it } from 'vitest'
import { admin, name, operator, refusal, server, withDirectory } from '../../testing/directory-fixture'

withDirectory()

const address = (type: string, bytes: Uint8Array | string) =>
  `data:${type};base64,${Buffer.from(bytes).toString('base64')}`
const svg = (inside: string, more = '') =>
  address('image/svg+xml', `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8" ${more}>${inside}</svg>`)
const png = (bytes = 64) => {
  const all = new Uint8Array(bytes)
  all.set([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
  return address('image/png', all)
}
const icon = address('image/x-icon', new Uint8Array([0, 0, 1, 0, 1, 0]))

const whole = {
  productTitle: 'Acme private cloud',
  productName: 'Acme',
  colorScheme: 'teal',
  logo: svg('<g><path d="M0 0h8v8z" fill="url(#a)"/></g>'),
  loginLogo: png(),
  favicon: icon,
  limitedUse: true,
}

const put = (domain_id: string, key: string, data: unknown, access: 'pub' | 'auth' | 'domain' = 'domain') =>
  server.call(domainProperties.create, { as: operator, params: { domain_id, key }, body: { data, access } })
const change = (domain_id: string, key: string, data: unknown) =>
  server.call(domainProperties.update, { as: operator, params: { domain_id, key }, body: data as never })
/** Fetches a property without signing in. */
const seen = async (domain: string, key: string = THEME) => {
  const response = await fetch(`${server.url}/api/v2/domains/${domain}/props/${key}`)
  return response.ok ? ((await response.json()) as unknown) : response.status
}
const makeDomain = () => server.call(domains.create, { as: operator, body: { name } })
afterEach(() => server.sql.query("delete from domain_property where key in ('theme', 'GeneralTheme')"))

describe('the theme of a domain', () => {
  it('has texts, a color scheme, pictures and a limited-use flag, all public [EN-002] [CA-116] [UI-056]', async () => {
    const { id } = await makeDomain()
    expect(await put(id, THEME, whole)).toEqual({ key: THEME, data: whole, access: 'pub' })
    for (const domain of [id, name]) expect(await seen(domain)).toEqual(whole)
    // each field on its own is a valid theme
    for (const [field, value] of Object.entries(whole)) {
      await change(id, THEME, { data: { [field]: value }, access: 'pub' })
      expect(await seen(id)).toEqual({ [field]: value })
    }
    for (const colorScheme of colorSchemes) {
      await change(id, THEME, { colorScheme })
      expect(await seen(id)).toEqual({ colorScheme })
    }
  })

  it('falls back to the default domain’s general theme, even if the domain is unknown [CA-116]', async () => {
    const { id } = await makeDomain()
    for (const domain of [id, 'default', 'no such domain']) expect(await seen(domain)).toEqual({})
    await put('default', GENERAL_THEME, { productName: 'General' })
    for (const domain of [id, 'default', 'no such domain'])
      expect(await seen(domain)).toEqual({ productName: 'General' })
    await put(id, THEME, { productName: 'Own' })
    expect(await seen(id)).toEqual({ productName: 'Own' })
    expect(await seen('default')).toEqual({ productName: 'General' })
    expect(await seen('default', GENERAL_THEME)).toEqual({ productName: 'General' })
    await server.call(domainProperties.delete, { as: operator, params: { domain_id: id, key: THEME } })
    expect(await seen(id)).toEqual({ productName: 'General' })
  })

  it('is always public and can be changed by operators only', async () => {
    const { id: domain_id } = server.cast.domains['alpha']!
    const params = { domain_id, key: THEME }
    await put(domain_id, THEME, { colorScheme: 'plum' }, 'auth')
    expect(await seen(domain_id)).toEqual({ colorScheme: 'plum' })
    const narrow = server.call(domainProperties.setAccess, { as: operator, params, body: { access: 'auth' } })
    expect(await refusal(narrow)).toMatchObject({ fields: ['access'] })
    const byAdmin = server.call(domainProperties.update, { as: admin, params, body: { colorScheme: 'teal' } })
    expect(await refusal(byAdmin)).toMatchObject({ code: 'forbidden' })
    expect(await seen(domain_id)).toEqual({ colorScheme: 'plum' })
  })

  it.each([
    ['productTitle', ''],
    ['productTitle', 'x'.repeat(65)],
    ['productName', 7],
    ['colorScheme', 'neon'],
    ['limitedUse', 'yes'],
    ['logo', 'https://a.example/logo.png'],
    ['logo', icon],
    ['logo', address('image/png', 'GIF89a')],
    ['logo', png(256 * KiB + 1)],
    ['loginLogo', address('text/html', '<p>')],
    ['favicon', svg('')],
    ['favicon', png(64 * KiB + 1)],
    ['favicon', address('image/x-icon', 'MZ')],
  ])('is refused with an error on the field: %s %#', async (field, value) => {
    const { id } = await makeDomain()
    expect(await refusal(put(id, THEME, { ...whole, [field]: value }))).toMatchObject({ fields: [`data.${field}`] })
    expect(await seen(id)).toEqual({})
  })

  it('refuses unknown fields and non-objects', async () => {
    const { id } = await makeDomain()
    expect(await refusal(put(id, THEME, { ...whole, script: 'x' }))).toMatchObject({ fields: ['data'] })
    for (const data of ['teal', ['teal'], null, 1])
      expect(await refusal(put(id, GENERAL_THEME, data))).toMatchObject({ fields: ['data'] })
    // other properties keep their own size limit
    expect(await refusal(put(id, name, 'x'.repeat(64 * KiB)))).toMatchObject({ fields: ['data'] })
    await put(id, THEME, {})
    expect(await refusal(change(id, THEME, { colorScheme: 'neon' }))).toMatchObject({ fields: ['data.colorScheme'] })
  })

  it('accepts pictures up to their maximum size', async () => {
    const { id } = await makeDomain()
    const most = { logo: png(256 * KiB), loginLogo: png(256 * KiB), favicon: png(64 * KiB) }
    await put(id, THEME, most)
    expect(await seen(id)).toEqual(most)
  })

  it.each([
    ['a script', svg('<script>alert(1)</script>')],
    ['a script with a namespace prefix', svg('<s:script xmlns:s="http://www.w3.org/2000/svg">1</s:script>')],
    ['another document', svg('<foreignObject><p xmlns="http://www.w3.org/1999/xhtml">x</p></foreignObject>')],
    ['an HTML element', svg('<g><iframe xmlns="http://www.w3.org/1999/xhtml" src="x"/></g>')],
    ['an event handler', svg('<path d="M0 0"/>', 'onload="alert(1)"')],
    ['a nested event handler', svg('<g><g><rect ONCLICK="x"/></g></g>')],
    ['a link', svg('<use href="https://a.example/x.svg#a"/>')],
    ['an xlink reference', svg('<use xmlns:xlink="http://www.w3.org/1999/xlink" xlink:href="javascript:x"/>')],
    ['an external URL in a style', svg('<style>path { fill: url(https://a.example/a) }</style>')],
    ['an import in a style', svg('<style>@import "a.css";</style>')],
    ['an escape sequence in a style', svg('<style>path { fill: u\\72l(x) }</style>')],
    ['an external URL in an attribute', svg('<path fill="url( http://a.example/a )" d="M0 0"/>')],
    ['an animation', svg('<set attributeName="href" to="x"/>')],
    [
      'an entity',
      address('image/svg+xml', '<!DOCTYPE svg [<!ENTITY a "b">]><svg xmlns="http://www.w3.org/2000/svg">&a;</svg>'),
    ],
    ['a root element other than svg', address('image/svg+xml', '<html/>')],
    ['malformed XML', address('image/svg+xml', '<svg')],
    ['elements nested too deeply', svg('<g>'.repeat(200) + '</g>'.repeat(200))],
  ])('refuses a drawing with %s', async (_what, logo) => {
    const { id } = await makeDomain()
    expect(await refusal(put(id, THEME, { logo }))).toMatchObject({ fields: ['data.logo'] })
    expect(await seen(id)).toEqual({})
  })

  it('accepts drawings exported by graphics editors', async () => {
    const { id } = await makeDomain()
    const logo = svg(
      '<!-- drawn --><metadata><r:RDF xmlns:r="http://www.w3.org/1999/02/22-rdf-syntax-ns#"/></metadata>' +
        '<defs><linearGradient id="a"><stop offset="0" stop-color="#fff"/></linearGradient><style>.b { fill: url(#a) }</style></defs>' +
        '<use xmlns:xlink="http://www.w3.org/1999/xlink" xlink:href="#a"/><path class="b" style="fill:url(#a)" d="M0 0h8"/>',
    )
    await put(id, THEME, { logo })
    expect(await seen(id)).toEqual({ logo })
  })
})
