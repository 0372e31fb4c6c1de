import { afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest'
import { loadTexts } from '../../../i18n/use-t'
import { setSession } from '../../../session/session'
import { HeldRequest } from '../../../testing/held-request'
import { crcOfBlob } from './crc64nvme'
import {
  abortAll,
  abortUpload,
  enqueue,
  clearFinished,
  pauseAll,
  removeUpload,
  resumeUploads,
  retryUpload,
  useFileUploads,
} from './queue'

/* Multipart uploads: which requests are sent, and what remains on the server. */

const MiB = 1024 ** 2
const size = 80 * MiB
const file = new File([new Uint8Array(size).fill(7)], 'big.iso')

/** A fake server: the parts it lists and the requests it has received. */
const server = { parts: [] as { number: number; size: number }[], asked: [] as string[], isEnded: false }

function answer(address: string, { method = 'GET' }: RequestInit = {}): Response {
  const { search } = new URL(address, 'http://console')
  server.asked.push(`${method} ${search}`)
  if (search.includes('uploadId') && server.isEnded)
    return new Response('<Error><Code>NoSuchUpload</Code></Error>', { status: 404 })
  if (method === 'POST' && search.startsWith('?uploads'))
    return new Response('<R><UploadId>u1</UploadId></R>', { status: 200 })
  if (method === 'GET' && search.startsWith('?uploadId'))
    return new Response(
      `<R>${server.parts
        .map(
          (it) =>
            `<Part><PartNumber>${it.number}</PartNumber><ETag>e</ETag><Size>${it.size}</Size><ChecksumCRC64NVME>c</ChecksumCRC64NVME></Part>`,
        )
        .join('')}</R>`,
    )
  return new Response('<R/>')
}

const uploads = () => useFileUploads.getState().uploads
const only = () => uploads()[0]!
const sent = () => HeldRequest.sent
const numberOf = ({ address }: HeldRequest) =>
  Number(new URL(address.split(' ')[1]!, 'http://c').searchParams.get('partNumber'))
/** Waits for the latest request for this part. */
const part = (number: number, times = 1) =>
  vi.waitFor(() => {
    const found = sent().filter((it) => numberOf(it) === number)
    expect(found).toHaveLength(times)
    return found.at(-1)!
  })
const start = () => enqueue('media', '', [{ path: file.name, file }], () => 'replace')
const asked = (pattern: RegExp) => server.asked.filter((it) => pattern.test(it))
const status = (wanted: string) => vi.waitFor(() => expect(only().status).toBe(wanted))

beforeAll(() => loadTexts('objectStorage'))
beforeEach(() => {
  vi.stubGlobal('XMLHttpRequest', HeldRequest)
  vi.stubGlobal('fetch', (address: string, init?: RequestInit) => Promise.resolve(answer(address, init)))
  HeldRequest.sent = []
  Object.assign(server, { parts: [], asked: [], isEnded: false })
})
afterEach(async () => {
  abortAll()
  await vi.waitFor(() => expect(uploads().filter((it) => /PENDING|PROGRESS/.test(it.status))).toEqual([]))
  for (const { id } of uploads()) removeUpload(id)
  clearFinished()
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

it('sends each part with its checksum, and counts stored bytes rather than sent ones', { tags: 'all' }, async () => {
  start()
  const first = await part(1)
  expect(first.body!.size).toBe(16 * MiB)
  expect(first.headers['x-amz-checksum-crc64nvme']).toBe(await crcOfBlob(first.body!))
  first.move(15 * MiB)
  expect([only().progress, only().goneBytes, only().part]).toEqual([0, 15 * MiB, { number: 1, of: 5 }])
  first.answer(200)
  for (const number of [2, 3, 4, 5]) {
    const next = await part(number)
    expect(only().progress).toBe((number - 1) * 20)
    next.answer(200)
  }
  await status('UPLOADED')
  expect(only().progress).toBe(100)
  expect(asked(/^POST \?uploadId=u1$/)).toHaveLength(1)
})

it('retries a part with backoff after corruption or a connection error, but not after a rejection', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  start()
  ;(await part(1)).answer(400, 'BadDigest')
  await vi.advanceTimersByTimeAsync(999)
  expect(sent()).toHaveLength(1)
  await vi.advanceTimersByTimeAsync(1)
  ;(await part(1, 2)).answer(500, 'InternalError')
  await vi.advanceTimersByTimeAsync(1999)
  expect(sent()).toHaveLength(2)
  await vi.advanceTimersByTimeAsync(1)
  ;(await part(1, 3)).dispatchEvent(new Event('error'))
  await vi.advanceTimersByTimeAsync(4000)
  ;(await part(1, 4)).answer(403, 'AccessDenied')
  await vi.advanceTimersByTimeAsync(60_000)
  await status('FAILED')
  expect(sent()).toHaveLength(4)
})

it('fails after 60 seconds without progress, and resumes from the stored parts on retry', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  start()
  ;(await part(1)).answer(200)
  const second = await part(2)
  await vi.advanceTimersByTimeAsync(60_000)
  await status('FAILED')
  expect([only().problem?.code, second.isAborted]).toEqual(['stalled', true])
  expect(asked(/^DELETE/)).toEqual([])
  vi.useRealTimers()
  server.parts = [{ number: 1, size: 16 * MiB }]
  retryUpload(only().id)
  await part(2, 2)
  expect(sent().map(numberOf)).toEqual([1, 2, 2])
  expect(only().progress).toBe(20)
})

it('trusts the server’s part list: resends missing and incomplete parts', async () => {
  start()
  ;(await part(1)).answer(200)
  ;(await part(2)).answer(200)
  await part(3)
  pauseAll()
  await vi.waitFor(() => expect(only().isPaused).toBe(true))
  server.parts = [
    { number: 2, size: 5 * MiB },
    { number: 4, size: 16 * MiB },
  ]
  resumeUploads()
  for (const [number, times] of [
    [1, 2],
    [2, 2],
    [3, 2],
    [5, 1],
  ] as const)
    (await part(number, times)).answer(200)
  await status('UPLOADED')
  expect(sent().map(numberOf)).toEqual([1, 2, 3, 1, 2, 3, 5])
})

it('aborts a paused file’s request and keeps its stored parts', async () => {
  start()
  ;(await part(1)).answer(200)
  const second = await part(2)
  pauseAll()
  expect(second.isAborted).toBe(true)
  await status('PENDING')
  expect([only().isPaused, only().progress]).toEqual([true, 20])
  expect(asked(/^DELETE/)).toEqual([])
})

it('aborts the multipart upload on the server when cancelled', async () => {
  start()
  ;(await part(1)).answer(200)
  await part(2)
  abortUpload(only().id)
  await status('CANCELED')
  await vi.waitFor(() => expect(asked(/^DELETE \?uploadId=u1$/)).toHaveLength(1))
})

it('keeps the parts on the server when the user signs out, and shows nothing to the next user', async () => {
  setSession({ user: { id: 'ada' } as never })
  start()
  ;(await part(1)).answer(200)
  const second = await part(2)
  setSession({ user: null })
  expect(second.isAborted).toBe(true)
  expect(uploads()).toEqual([])
  await new Promise((resolve) => setTimeout(resolve, 50))
  expect(asked(/^DELETE/)).toEqual([])
  expect(sent()).toHaveLength(2)
})

it('starts again on retry if the upload no longer exists on the server', async () => {
  start()
  ;(await part(1)).answer(200)
  ;(await part(2)).answer(404, 'NoSuchUpload')
  await status('FAILED')
  expect(only().problem?.message).toBe(
    'This upload no longer exists on the server. Upload the file again from the beginning.',
  )
  retryUpload(only().id)
  await part(1, 2)
  expect(asked(/^POST \?uploads=$/)).toHaveLength(2)
})

it(
  'restarts a multipart upload under the next free name instead of overwriting a taken key',
  { tags: 'all' },
  async () => {
    const completions: Headers[] = []
    let isThere = false
    vi.stubGlobal('fetch', (address: string, init?: RequestInit) => {
      const { pathname, search } = new URL(address, 'http://console')
      if (init?.method === 'HEAD')
        return Promise.resolve(new Response(null, { status: isThere && pathname.endsWith('/big.iso') ? 200 : 404 }))
      if (init?.method !== 'POST' || !search.startsWith('?uploadId')) return Promise.resolve(answer(address, init))
      completions.push(new Headers(init.headers))
      isThere = true
      return Promise.resolve(
        pathname.endsWith('/big.iso')
          ? new Response('<Error><Code>PreconditionFailed</Code></Error>', { status: 412 })
          : answer(address, init),
      )
    })
    enqueue('media', '', [{ path: file.name, file }], () => 'both')
    for (const number of [1, 2, 3, 4, 5]) (await part(number)).answer(200)
    await vi.waitFor(() => expect(asked(/^DELETE \?uploadId=u1$/)).toHaveLength(1))
    for (const number of [1, 2, 3, 4, 5]) (await part(number, 2)).answer(200)
    await status('UPLOADED')
    expect(only().name).toBe('big (2).iso')
    expect(completions.map((headers) => headers.get('if-none-match'))).toEqual(['*', '*'])
  },
)

it('completes the upload again if the first response was lost', { tags: 'all' }, async () => {
  start()
  for (const number of [1, 2, 3, 4]) (await part(number)).answer(200)
  const last = await part(5)
  const reply = vi.fn((address: string, init?: RequestInit) => {
    if (init?.method === 'POST') pauseAll()
    return init?.method === 'POST' ? Promise.reject(new Error('lost')) : Promise.resolve(answer(address, init))
  })
  vi.stubGlobal('fetch', reply)
  last.answer(200)
  await vi.waitFor(() => expect(only().isPaused).toBe(true))
  vi.stubGlobal('fetch', (address: string, init?: RequestInit) => Promise.resolve(answer(address, init)))
  // the object already exists, so the upload no longer has any parts
  server.parts = []
  resumeUploads()
  await status('UPLOADED')
  expect(sent()).toHaveLength(5)
})
