import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { CallProblem } from '../../../api/problem'
import { loadTexts } from '../../../i18n/use-t'
import { hasUnsavedWork } from '../../../notices/leave-guard'
import { removeNotice, useNotices } from '../../../notices/notices'
import { HeldRequest } from '../../../testing/held-request'
import { handleUnavailable } from '../availability'
import { followFileUploads } from './notices'
import { numbered } from './file-upload'
import {
  abortAll,
  abortUpload,
  enqueue,
  clearFinished,
  pauseAll,
  resumeUploads,
  retryUpload,
  uploadNext,
  useFileUploads,
} from './queue'

const sent = () => HeldRequest.sent
/** Waits for the request that sends this file. */
const request = (name: string) =>
  vi.waitFor(() => {
    const found = sent().findLast(({ address }) => address.endsWith(name))
    expect(found).toBeDefined()
    return found!
  })
const uploads = () => useFileUploads.getState().uploads
const states = () => uploads().map(({ name, status }) => `${name} ${status}`)
const upload = (name: string) => uploads().find((it) => it.name === name)!
const file = (name: string) => ({ path: name, file: new File(['0123456789'], name) })
const start = (...names: string[]) => enqueue('media', 'photos/', names.map(file), () => 'replace')
const notice = () => useNotices.getState().notices.find(({ id }) => id.startsWith('s3-uploads-'))

beforeEach(async () => {
  vi.stubGlobal('XMLHttpRequest', HeldRequest)
  // lists are reloaded after an upload, but there is no server in this test
  vi.stubGlobal('fetch', () => Promise.reject(new Error('offline')))
  HeldRequest.sent = []
  await loadTexts('objectStorage')
  await followFileUploads()
})
afterEach(async () => {
  abortAll()
  await vi.waitFor(() => expect(states().filter((it) => / (PENDING|PROGRESS)$/.test(it))).toEqual([]))
  clearFinished()
  for (const { id } of useNotices.getState().notices) removeNotice(id)
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

it('tracks the target, progress and name of each file [EN-014]', async () => {
  start('cat.JPG')
  const going = await request('cat.JPG')
  expect(going.address).toBe('PUT /s3proxy/media/photos/cat.JPG')
  going.move(5)
  expect(upload('cat.JPG')).toMatchObject({
    ...{ status: 'PROGRESS', statusText: 'Uploading', bucketName: 'media', progress: 50 },
    ...{ fullPath: 'photos/cat.JPG', folderPath: 'photos/', type: 'jpg', name: 'cat.JPG', isFolder: false },
  })
  expect(upload('cat.JPG').id).not.toBe('')
  expect(upload('cat.JPG').file).toBeInstanceOf(File)
  expect(upload('cat.JPG').request).toBe(going)
  expect(upload('cat.JPG').statusIcon).toBeTruthy()
})

it('sends one file at a time, starting the next after a success or failure [S3-006] [S3-007] [S3-008]', async () => {
  start('a', 'b')
  const first = await request('/a')
  start('c', 'd')
  expect(states()).toEqual(['a PROGRESS', 'b PENDING', 'c PENDING', 'd PENDING'])
  first.answer(200)
  const second = await request('/b')
  expect(states()).toEqual(['a UPLOADED', 'b PROGRESS', 'c PENDING', 'd PENDING'])
  expect(sent()).toEqual([first, second])
  second.answer(403, 'AccessDenied')
  await request('/c')
  abortUpload(upload('d').id)
  expect(states()).toEqual(['a UPLOADED', 'b FAILED', 'c PROGRESS', 'd CANCELED'])
  expect(sent()).toHaveLength(3)
  // an active upload can be cancelled like a waiting one
  abortUpload(upload('c').id)
  await vi.waitFor(() => expect(states()).toEqual(['a UPLOADED', 'b FAILED', 'c CANCELED', 'd CANCELED']))
})

it('removes a waiting file from the queue, and aborts an active file’s request [S3-009] [S3-010]', async () => {
  start('a', 'b', 'c')
  const first = await request('/a')
  abortUpload(upload('b').id)
  expect(states()).toEqual(['a PROGRESS', 'b CANCELED', 'c PENDING'])
  abortUpload(upload('a').id)
  expect(first.isAborted).toBe(true)
  await request('/c')
  expect(states()).toEqual(['a CANCELED', 'b CANCELED', 'c PROGRESS'])
  expect(sent().map(({ address }) => address.at(-1))).toEqual(['a', 'c'])
})

it('cancels all uploads at once without starting a waiting one', async () => {
  start('a', 'b', 'c')
  const first = await request('/a')
  abortAll()
  await vi.waitFor(() => expect(states()).toEqual(['a CANCELED', 'b CANCELED', 'c CANCELED']))
  expect(first.isAborted).toBe(true)
  expect(sent()).toHaveLength(1)
})

it.each(['s3_disabled', 's3_not_found', 's3_user_disabled'])(
  'clears the queue and sends nothing more when object storage becomes unavailable with %s [S3-003]',
  async (code) => {
    start('a', 'b')
    const first = await request('/a')
    // other errors do not affect the queue
    handleUnavailable(new CallProblem({ kind: 'validation', status: 403, code: 'AccessDenied', message: '' }))
    expect(states()).toEqual(['a PROGRESS', 'b PENDING'])
    handleUnavailable(new CallProblem({ kind: 'validation', status: 403, code, message: '' }))
    expect(uploads()).toEqual([])
    expect(first.isAborted).toBe(true)
    await vi.waitFor(() => expect(notice()).toBeUndefined())
    expect(sent()).toHaveLength(1)
  },
)

it('shows progress while files are left to send, then the number of uploaded files [S3-011] [S3-013]', async () => {
  start('a', 'b', 'c')
  ;(await request('/a')).answer(200)
  ;(await request('/b')).answer(403, 'AccessDenied')
  const third = await request('/c')
  expect(notice()).toMatchObject({ type: 'progress', title: 'Uploading 3 files', preventReload: true })
  expect(hasUnsavedWork()).toBe(true)
  // the queue is paused, with one file left
  pauseAll()
  await vi.waitFor(() => expect(states()).toEqual(['a UPLOADED', 'b FAILED', 'c PENDING']))
  expect(third.isAborted).toBe(true)
  expect(notice()).toMatchObject({ type: 'progress', title: 'Uploading 3 files', preventReload: false })
  resumeUploads()
  await vi.waitFor(() => expect(sent()).toHaveLength(4))
  ;(await request('/c')).answer(200)
  await vi.waitFor(() => expect(notice()).toMatchObject({ type: 'success', title: '2 of 3 files uploaded' }))
  expect(notice()!.message).toBe('Not uploaded: b')
  expect(hasUnsavedWork()).toBe(false)
})

it('reports a missing permission if all files failed for that reason [S3-012] [S3-014]', async () => {
  start('a', 'b')
  ;(await request('/a')).answer(403, 'AccessDenied')
  ;(await request('/b')).answer(403, 'AccessDenied')
  await vi.waitFor(() => expect(notice()!.type).toBe('error'))
  expect(notice()!.title).toBe('You do not have permission to upload to “media”')
})

it('names the bucket if all files failed for another reason [S3-012] [S3-015]', async () => {
  start('a', 'b')
  ;(await request('/a')).answer(403, 'AccessDenied')
  ;(await request('/b')).answer(404, 'NoSuchBucket')
  await vi.waitFor(() => expect(notice()!.type).toBe('error'))
  expect(notice()!.title).toBe('Upload to “media” failed')
})

it('updates the progress at most every 100 ms [CO-021]', async () => {
  start('a')
  const going = await request('/a')
  const clock = vi.spyOn(performance, 'now')
  const seen: number[] = []
  const stop = useFileUploads.subscribe(() => seen.push(upload('a').progress))
  for (const [at, loaded] of [
    [10_000, 1],
    [10_050, 2],
    [10_099, 3],
    [10_100, 4],
    [10_150, 5],
  ] as const) {
    clock.mockReturnValue(at)
    going.move(loaded)
  }
  stop()
  clock.mockRestore()
  expect(seen).toEqual([10, 40])
})

it('fails a file that has made no progress for 60 seconds [CO-019]', async () => {
  vi.useFakeTimers()
  start('a')
  await vi.advanceTimersByTimeAsync(59_000)
  sent()[0]!.move(1)
  await vi.advanceTimersByTimeAsync(59_900)
  expect(states()).toEqual(['a PROGRESS'])
  await vi.advanceTimersByTimeAsync(200)
  expect(states()).toEqual(['a FAILED'])
  expect([upload('a').problem?.code, sent()[0]!.isAborted]).toEqual(['stalled', true])
})

it('retries a failed file', async () => {
  start('a')
  ;(await request('/a')).answer(500, 'InternalError')
  await vi.waitFor(() => expect(states()).toEqual(['a FAILED']))
  retryUpload(upload('a').id)
  await vi.waitFor(() => expect(sent()).toHaveLength(2))
  sent()[1]!.answer(200)
  await vi.waitFor(() => expect(states()).toEqual(['a UPLOADED']))
})

it('does not overwrite unless told to: skips the file or adds a number', async () => {
  const there = ['/s3proxy/media/photos/a.txt', '/s3proxy/media/photos/b.txt', '/s3proxy/media/photos/b%20%282%29.txt']
  vi.stubGlobal('fetch', (address: string) =>
    Promise.resolve(new Response(null, { status: there.includes(address) ? 200 : 404 })),
  )
  enqueue('media', 'photos/', ['a.txt', 'b.txt', 'c.txt'].map(file), (key) => (key.endsWith('b.txt') ? 'both' : 'skip'))
  ;(await request('b%20%283%29.txt')).answer(200)
  ;(await request('c.txt')).answer(200)
  await vi.waitFor(() => expect(states()).toEqual(['a.txt CANCELED', 'b (3).txt UPLOADED', 'c.txt UPLOADED']))
  expect(sent()).toHaveLength(2)
})

it('uses the next name or skips the file, without overwriting, if the key is taken just before the write', async () => {
  const there: string[] = []
  vi.stubGlobal('fetch', (address: string) =>
    Promise.resolve(new Response(null, { status: there.includes(address) ? 200 : 404 })),
  )
  enqueue('media', 'photos/', ['a.txt', 'b.txt', 'c.txt'].map(file), (key) =>
    key.endsWith('a.txt') ? 'both' : key.endsWith('b.txt') ? 'skip' : 'replace',
  )
  const first = await request('a.txt')
  expect(first.headers['if-none-match']).toBe('*')
  there.push('/s3proxy/media/photos/a.txt')
  first.answer(412, 'PreconditionFailed')
  const second = await request('a%20%282%29.txt')
  expect(second.headers['if-none-match']).toBe('*')
  second.answer(200)
  const skipped = await request('b.txt')
  there.push('/s3proxy/media/photos/b.txt')
  skipped.answer(412, 'PreconditionFailed')
  const replacing = await request('c.txt')
  expect(replacing.headers['if-none-match']).toBeUndefined()
  replacing.answer(200)
  await vi.waitFor(() => expect(states()).toEqual(['a (2).txt UPLOADED', 'b.txt CANCELED', 'c.txt UPLOADED']))
})

it('sends a prioritized file first, even if it was paused', async () => {
  start('a', 'b', 'c')
  const first = await request('/a')
  pauseAll()
  await vi.waitFor(() => expect(upload('a').status).toBe('PENDING'))
  uploadNext(upload('c').id)
  await request('/c')
  expect(first.isAborted).toBe(true)
  expect(states()).toEqual(['c PROGRESS', 'a PENDING', 'b PENDING'])
})

it('inserts the number before the file extension', () => {
  expect(['a/b.tar', 'a/b', 'a/.env'].map((key) => numbered(key, 2))).toEqual(['a/b (2).tar', 'a/b (2)', 'a/.env (2)'])
})
