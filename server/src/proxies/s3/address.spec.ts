import { expect, it } from 'vitest'
import { canonicalQuery } from '@mainstay/engines/s3/signature/canonical'
import { readS3Address } from './address'
import { answerHeaders, isForPage, payloadOf, requestHeaders } from './headers'

const now = Date.parse('2026-01-31T08:00:00Z')
const link = (change: Record<string, string | undefined> = {}, more = '') => {
  const given = { 'X-Amz-Date': '20260131T080000Z', 'X-Amz-Expires': '3600', 'X-Amz-Signature': 'ff', ...change }
  const pairs = Object.entries(given).flatMap(([name, value]) => (value === undefined ? [] : [`${name}=${value}`]))
  return `/bucket/key?${pairs.join('&')}${more}`
}
const refused = (url: string, at = now): string => {
  try {
    readS3Address(url, at)
    return 'taken'
  } catch (error) {
    return `${(error as { code: string }).code}: ${(error as Error).message}`
  }
}

it.each([
  ['/b/a b+c', '/b/a%20b%2Bc'],
  ['/b//x/../y/', '/b//x/../y/'],
  ['/b/%e2%82%ac(1)', '/b/%E2%82%AC%281%29'],
  ['/b/100%25', '/b/100%25'],
  ['', '/'],
])('encodes the path %j once without normalizing it: %j', (given, path) => {
  expect(readS3Address(given).path).toBe(path)
})

it("sorts parameters by their encoded names and omits the console's own parameters", () => {
  const sent = (url: string) => canonicalQuery(readS3Address(url).query)
  expect(sent('/b?prefix=a/&list-type=2&project_id=p1&inline=1&delimiter=%2F')).toBe(
    'delimiter=%2F&list-type=2&prefix=a%2F',
  )
  expect(sent('/b?a-b=1&a=2')).toBe('a=2&a-b=1')
})

it('accepts a key with dot segments only as a parameter, because browsers normalize paths', () => {
  const { path, query, fileName } = readS3Address('/b?object_key=a%2F..%2F.%2Fc%20d&uploads=')
  expect([path, query, fileName]).toEqual(['/b/a/.././c%20d', [['uploads', '']], 'c d'])
  expect(readS3Address('/b/?object_key=..').path).toBe('/b/..')
  for (const url of ['/?object_key=a', '/b/x?object_key=a', '/b?object_key='])
    expect(refused(url)).toContain('InvalidArgument')
})

it('refuses malformed addresses', () => {
  for (const url of ['/b/%ff', '/b/%zz', '/b/%00', '/b?prefix=%ff']) expect(refused(url)).toContain('InvalidURI')
})

it('a link is valid for at most 3600 s from its date [CO-038]', () => {
  expect(refused(link())).toBe('taken')
  expect(refused(link(), now + 3_600_000)).toBe('taken')
  expect(refused(link(), now + 3_600_001)).toBe('AccessDenied: Request has expired')
  expect(refused(link({ 'X-Amz-Expires': '60' }), now + 61_000)).toBe('AccessDenied: Request has expired')
  expect(refused(link(), now - 16 * 60_000)).toBe('AccessDenied: Request is not yet valid')
  for (const wrong of ['3601', '0', '-5', 'x', '', undefined])
    expect(refused(link({ 'X-Amz-Expires': wrong }))).toContain('AuthorizationQueryParametersError: X-Amz-Expires')
  for (const wrong of ['yesterday', '20269931T080000Z', undefined])
    expect(refused(link({ 'X-Amz-Date': wrong }))).toContain('AuthorizationQueryParametersError: X-Amz-Date')
})

it('converts headers that were signed into a link back to headers and drops everything else', () => {
  const address = readS3Address(link({}, '&x-amz-meta-from=caf%C3%A9&x-id=GetObject&X-Amz-Credential=session%2F1'), now)
  expect(address).toMatchObject({ query: [['x-id', 'GetObject']], isPresigned: true })
  expect(address.headers).toEqual({ 'x-amz-meta-from': 'cafÃ©' })
  expect(refused(link({}, '&x-amz-meta-a=b%0d%0aHost:%20c'))).toContain('InvalidArgument')
  expect(refused(link({}, '&x-amz-meta-%20=b'))).toContain('InvalidArgument')
})

it('forwards only S3 request headers and no cookies, tokens, signatures or hop-by-hop headers', () => {
  const kept = requestHeaders(
    {
      ...{
        cookie: 'session=1',
        'x-auth-token': 't',
        authorization: 'AWS4-HMAC-SHA256 x',
        host: 'console',
        origin: 'o',
      },
      ...{ connection: 'x', 'transfer-encoding': 'chunked', te: 'x', upgrade: 'x', 'x-forwarded-for': '1.2.3.4' },
      ...{ 'x-amz-date': 'x', 'x-amz-content-sha256': 'x', 'x-amz-security-token': 'x' },
      ...{ range: 'bytes=0-1', 'if-none-match': '"a"', 'content-length': '3', 'x-amz-meta-a': 'b' },
    },
    { headers: { 'x-amz-acl': 'private' } },
  )
  expect(kept).toEqual({
    ...{ range: 'bytes=0-1', 'if-none-match': '"a"', 'content-length': '3', 'x-amz-meta-a': 'b' },
    'x-amz-acl': 'private',
  })
})

it('keeps the body hash that S3 verifies', () => {
  const hash = 'a'.repeat(64)
  expect(payloadOf({ 'x-amz-content-sha256': hash })).toBe(hash)
  expect(payloadOf({})).toBe('UNSIGNED-PAYLOAD')
  expect(payloadOf({ 'x-amz-content-sha256': 'x\ny' })).toBe('UNSIGNED-PAYLOAD')
})

const shown = (type: string, isInline: boolean, more: Record<string, string> = {}) =>
  answerHeaders({ 'content-type': type, ...more }, { fileName: 'a"b.html', isInline })

it('serves objects as sandboxed downloads, and serves only images, plain text, audio and video inline', () => {
  for (const type of ['text/html', 'image/svg+xml', 'application/xhtml+xml', 'application/pdfx', 'text/javascript', ''])
    for (const isInline of [true, false])
      expect(shown(type, isInline)).toMatchObject({
        'content-disposition': 'attachment; filename="a_b.html"; filename*=UTF-8\'\'a%22b.html',
        'content-security-policy': expect.stringMatching(/^sandbox;/),
        'x-content-type-options': 'nosniff',
      })
  expect(shown('image/png', false)['content-disposition']).toContain('attachment')
  for (const type of ['image/png', 'text/plain; charset=utf-8', 'video/mp4', 'audio/mpeg']) {
    expect(shown(type, true)['content-disposition']).toBeUndefined()
    expect(shown(type, true)['content-security-policy']).toMatch(/^sandbox;/)
  }
  expect(shown('text/html', true, { 'content-disposition': 'inline' })['content-disposition']).toContain('attachment')
})

it('allows a PDF in a console frame, but only as a PDF and without scripts', () => {
  expect(shown('application/pdf', false)).toMatchObject({
    'content-disposition': expect.stringContaining('attachment'),
    'content-security-policy': expect.stringMatching(/^sandbox;/),
  })
  const framed = shown('Application/PDF; x=<script>', true, {
    'accept-ranges': 'bytes',
    'content-disposition': 'inline',
  })
  expect(framed).toMatchObject({
    'content-type': 'application/pdf',
    'x-content-type-options': 'nosniff',
    'content-security-policy': "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'",
  })
  expect([framed['content-disposition'], framed['accept-ranges']]).toEqual([undefined, undefined])
})

it('drops cookies, policies and other server headers from responses', () => {
  const { 'x-amz-meta-a': kept, ...rest } = answerHeaders(
    {
      'set-cookie': ['a=b'],
      'access-control-allow-origin': '*',
      'clear-site-data': '"*"',
      refresh: '0',
      'x-amz-meta-a': 'b',
    },
    { fileName: null, isInline: false },
  )
  expect(kept).toBe('b')
  expect(Object.keys(rest).sort()).toEqual([
    ...['cache-control', 'content-security-policy', 'cross-origin-resource-policy', 'vary', 'x-content-type-options'],
  ])
})

it('refuses requests that would use an object as a script, style or worker', () => {
  for (const as of ['script', 'style', 'worker', 'serviceworker', 'sharedworker', 'iframe', 'object', 'font'])
    expect([as, isForPage({ 'sec-fetch-dest': as }, false), isForPage({ 'sec-fetch-dest': as }, true)]).toEqual([
      ...[as, true, as !== 'iframe'],
    ])
  for (const as of ['empty', 'document', 'image', undefined])
    expect(isForPage({ ...(as && { 'sec-fetch-dest': as }) }, false)).toBe(false)
})
