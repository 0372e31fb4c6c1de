import { beforeEach, expect, it, vi } from 'vitest'
import { images } from '@mainstay/contract/compute/images'
import { escapeXml } from '@mainstay/contract/object-storage/s3-xml'
import { access, setAccessKeeper } from '../../../api/access'
import { upload } from '../../../api/transfers/upload'
import { loadTexts } from '../../../i18n/use-t'
import { freshSession } from '../../../testing/fresh-session'
import { HeldRequest } from '../../../testing/held-request'
import { isReachable, s3Address } from './address'
import { dummyHeaders } from './dummy-signature'
import { presigned } from './presign'
import { faultText, s3Problem } from './problem'
import { pause, sendS3 } from './send'
import { sendBody } from './send-body'
import { childrenOf, parseXml, textOf } from './xml'

// links contain the session's project
beforeEach(freshSession)
beforeEach(() => loadTexts('objectStorage'))

it('uses path-style URLs under the proxy path on the same origin [S3-017]', () => {
  expect(s3Address({})).toBe('/s3proxy/')
  expect(s3Address({ bucket: 'media' }, { 'list-type': '2', prefix: 'a b/', token: undefined })).toBe(
    '/s3proxy/media?list-type=2&prefix=a%20b%2F',
  )
  expect(s3Address({ bucket: 'media', key: `a/b c+%2F?#'(!).txt` })).toBe(
    '/s3proxy/media/a/b%20c%2B%252F%3F%23%27%28%21%29.txt',
  )
})

it('moves keys with dot segments from the path to a query parameter', () => {
  expect(['a/b', 'a/./b', '..', '...'].map(isReachable)).toEqual([true, false, false, true])
  const asked = s3Address({ bucket: 'media', key: 'a/../b c' }, { uploads: '' })
  expect(asked).toBe('/s3proxy/media?uploads=&object_key=a%2F..%2Fb%20c')
  expect(new URL(asked, 'http://console').searchParams.get('object_key')).toBe('a/../b c')
})

it('signs requests, uploads and one-hour links with dummy credentials and a dummy region [S3-018] [S3-019] [S3-034] [CO-038]', async () => {
  const { authorization } = dummyHeaders(new Date('2026-11-26T14:30:00Z'))
  expect(authorization).toBe(
    `AWS4-HMAC-SHA256 Credential=session/20261126/us-east-1/s3/aws4_request, SignedHeaders=host, Signature=${'0'.repeat(64)}`,
  )
  const asked = vi.fn((_address: string, _request: RequestInit) => Promise.resolve(new Response('')))
  vi.stubGlobal('fetch', asked)
  vi.stubGlobal('XMLHttpRequest', HeldRequest)
  HeldRequest.sent.length = 0
  await sendS3({ verb: 'GET' })
  const options = { signal: new AbortController().signal, onProgress: () => {}, onRequest: () => {} }
  const sending = sendBody({ bucket: 'media', key: 'a', body: new Blob(['octets']) }, options)
  HeldRequest.sent[0]!.answer(200)
  await sending
  vi.unstubAllGlobals()
  for (const headers of [asked.mock.lastCall![1].headers, HeldRequest.sent[0]!.headers])
    expect(new Headers(headers).get('authorization')).toMatch(
      /^AWS4-HMAC-SHA256 Credential=session\/\d{8}\/us-east-1\/s3\/aws4_request, SignedHeaders=host, Signature=0{64}$/,
    )
  const link = new URL(presigned('media', 'a.txt', { now: new Date('2026-11-26T14:30:00Z') }), 'http://console')
  expect(link.pathname).toBe('/s3proxy/media/a.txt')
  expect(Object.fromEntries(link.searchParams)).toEqual({
    'X-Amz-Algorithm': 'AWS4-HMAC-SHA256',
    'X-Amz-Credential': 'session/20261126/us-east-1/s3/aws4_request',
    'X-Amz-Date': '20261126T143000Z',
    'X-Amz-Expires': '3600',
    'X-Amz-SignedHeaders': 'host',
    'X-Amz-Signature': '0'.repeat(64),
  })
})

it('parses XML and returns null for invalid input', () => {
  const root = parseXml('<R xmlns="urn:s3"><A>1</A><A>a &amp; b</A><B><A>no</A></B></R>')
  expect(childrenOf(root, 'A').map(({ textContent }) => textContent)).toEqual(['1', 'a & b'])
  expect([textOf(root, 'C'), parseXml('<R>'), parseXml('hello'), parseXml('')]).toEqual(['', null, null, null])
})

it('escapes keys so that they survive an XML round trip', () => {
  const key = `<a>&"'\r\n\t b]]>`
  expect(parseXml(`<K>${escapeXml(key)}</K>`)?.textContent).toBe(key)
})

it('translates known S3 error codes, and shows the code and message for unknown ones', () => {
  const denied = s3Problem(
    403,
    '<Error><Code>AccessDenied</Code><Message>no</Message><RequestId>r1</RequestId></Error>',
  )
  expect([denied.code, denied.message, denied.requestId]).toEqual([
    'AccessDenied',
    'You do not have permission to do this.',
    'r1',
  ])
  expect(faultText('Odd', 'very odd')).toBe('Odd: very odd')
  // a HEAD response has no body
  expect(s3Problem(404, '').code).toBe('NoSuchKey')
})

it('retries three times on SlowDown, and never on other errors', async () => {
  vi.useFakeTimers()
  const answers = vi.fn(() =>
    Promise.resolve(new Response('<Error><Code>SlowDown</Code><Message>slow</Message></Error>', { status: 503 })),
  )
  vi.stubGlobal('fetch', answers)
  const asked = expect(sendS3({ verb: 'GET' })).rejects.toMatchObject({ code: 'SlowDown' })
  await vi.advanceTimersByTimeAsync(10_000)
  await asked
  expect(answers).toHaveBeenCalledTimes(4)
  answers.mockClear()
  answers.mockImplementation(() =>
    Promise.resolve(new Response('<Error><Code>NoSuchBucket</Code></Error>', { status: 404 })),
  )
  await expect(sendS3({ verb: 'GET', bucket: 'gone' })).rejects.toMatchObject({ code: 'NoSuchBucket' })
  expect(answers).toHaveBeenCalledTimes(1)
  vi.unstubAllGlobals()
  vi.useRealTimers()
})

it('reads the reconfiguration header from every response, including S3 requests and uploads [ER-017]', async () => {
  const responseHeaders = { 'x-reconfiguration-state': 'running' }
  const onReconfiguration = vi.fn()
  const before = access()
  setAccessKeeper({ ...before, onReconfiguration })
  vi.stubGlobal('XMLHttpRequest', HeldRequest)
  const options = { signal: new AbortController().signal, onProgress: () => {}, onRequest: () => {} }
  for (const [number, status] of [200, 404, 503].entries()) {
    vi.stubGlobal('fetch', () => Promise.resolve(new Response('', { status, headers: responseHeaders })))
    await sendS3({ verb: 'GET', bucket: 'media' }).catch(() => 'refused')
    HeldRequest.sent.length = 0
    const file = new Blob(['octets'])
    const sending = [
      upload(images.create, { file }, options),
      sendBody({ bucket: 'media', key: 'a', body: file }, options),
    ]
    await vi.waitFor(() => expect(HeldRequest.sent).toHaveLength(2))
    for (const request of HeldRequest.sent) Object.assign(request, { responseHeaders }).answer(status)
    await Promise.allSettled(sending)
    expect(onReconfiguration).toHaveBeenCalledTimes(3 * (number + 1))
  }
  vi.unstubAllGlobals()
  setAccessKeeper(before)
})

it('stops waiting when aborted', async () => {
  const controller = new AbortController()
  const waiting = pause(60_000, controller.signal)
  controller.abort()
  await expect(waiting).rejects.toMatchObject({ code: 'cancelled' })
})
