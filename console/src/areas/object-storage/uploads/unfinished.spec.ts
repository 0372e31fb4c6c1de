import { afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest'
import { loadTexts } from '../../../i18n/use-t'
import { setSession } from '../../../session/session'
import { newRecord } from './file-upload'
import { abortAll, useFileUploads } from './queue'
import type { UploadRecord } from './records'
import { discardUnfinished, loadUnfinished, resumeAmong, resumeWith, restartUpload, useUnfinished } from './unfinished'

/* This environment has no IndexedDB; e2e/object-storage/resume.all.e2e.ts covers it. */
const kept = vi.hoisted(() => new Map<string, UploadRecord>())
vi.mock('./records', () => ({
  putRecords: (records: UploadRecord[]) => Promise.resolve(records.forEach((it) => kept.set(it.id, it))),
  dropRecords: (ids: string[]) => Promise.resolve(ids.forEach((id) => kept.delete(id))),
  recordOf: (id: string) => Promise.resolve(kept.get(id)),
  recordsOf: (ownerId: string) => Promise.resolve([...kept.values()].filter((it) => it.ownerId === ownerId)),
}))

const day = 24 * 3600 * 1000
const fileOf = (name: string, text = '0123456789') => new File([text], name, { lastModified: 5 })
function keep(name: string, change: Partial<UploadRecord> = {}): UploadRecord {
  const record = { ...newRecord('media', name, fileOf(name), null), id: name, page: 'gone', ...change }
  kept.set(name, record)
  return record
}
const shown = () => useUnfinished.getState().unfinished.map(({ record }) => record.id)
const obstacle = (id: string) => useUnfinished.getState().unfinished.find(({ record }) => record.id === id)?.obstacle
const queued = () => useFileUploads.getState().uploads.map(({ id }) => id)
const asked = vi.fn()
/** Names of the locks held by pages. */
let held: string[] = []

beforeAll(() => Promise.all([loadTexts('objectStorage'), loadTexts('shell')]))
beforeEach(async () => {
  kept.clear()
  held = []
  asked.mockReset()
  asked.mockImplementation(() => Promise.resolve(new Response('<R/>')))
  vi.stubGlobal('fetch', asked)
  // these tests send nothing
  vi.stubGlobal(
    'XMLHttpRequest',
    class extends EventTarget {
      upload = new EventTarget()
      open() {}
      setRequestHeader() {}
      send() {}
      abort() {
        this.dispatchEvent(new Event('abort'))
      }
    },
  )
  Object.defineProperty(navigator, 'locks', {
    configurable: true,
    value: {
      query: () => Promise.resolve({ held: [{ name: 'mainstay-uploads-claim' }, ...held.map((name) => ({ name }))] }),
      request: async (name: string, run: () => unknown) => (name.includes('page') ? undefined : run()),
    },
  })
  setSession({ user: { id: 'ada' } as never })
  await loadUnfinished()
})
afterEach(() => {
  abortAll()
  setSession({ user: null })
  Reflect.deleteProperty(navigator, 'locks')
  vi.unstubAllGlobals()
})

it('lists uploads from the user’s closed pages, but not from other users or open tabs', async () => {
  keep('own')
  keep('released', { page: '' })
  keep('of-bo', { ownerId: 'bo' })
  keep('in-a-tab', { page: 'there' })
  held = ['mainstay-uploads-page-there']
  await loadUnfinished()
  expect(shown()).toEqual(['own', 'released'])
  setSession({ user: { id: 'bo' } as never })
  expect(shown()).toEqual([])
  await vi.waitFor(() => expect(shown()).toEqual(['of-bo']))
})

it('does not resume an upload that another tab has claimed', async () => {
  keep('a')
  await loadUnfinished()
  kept.set('a', { ...kept.get('a')!, page: 'there' })
  held = ['mainstay-uploads-page-there']
  await resumeWith('a', fileOf('a'))
  expect([shown(), queued()]).toEqual([[], []])
  expect(kept.get('a')!.page).toBe('there')
})

it('resumes uploads whose name, size and modification time match a chosen file', async () => {
  for (const name of ['a', 'b', 'c']) keep(name)
  await loadUnfinished()
  await resumeAmong([fileOf('a'), fileOf('b', 'longer than it was'), fileOf('other')])
  expect(queued()).toEqual(['a'])
  expect(shown()).toEqual(['b', 'c'])
})

it('reports how a different file differs, and uploads it from the beginning on request', async () => {
  keep('a', { uploadId: 'u1' })
  await loadUnfinished()
  const other = fileOf('a', 'another size')
  await resumeWith('a', other)
  expect([obstacle('a'), queued()]).toEqual(['size', []])
  await restartUpload('a', other)
  expect(asked.mock.calls.some(([address, init]) => /uploadId=u1/.test(address) && init.method === 'DELETE')).toBe(true)
  expect(kept.has('a')).toBe(false)
  const { uploads } = useFileUploads.getState()
  expect(uploads.map(({ record }) => [record?.key, record?.uploadId, record?.size])).toEqual([['a', null, other.size]])
})

it('marks an upload as expired after 7 days or when the server no longer has it', async () => {
  keep('old', { uploadId: 'u1', begunAt: Date.now() - 7 * day - 1000 })
  keep('young', { uploadId: 'u2', begunAt: Date.now() - 7 * day + 60_000 })
  keep('not-begun', { begunAt: Date.now() - 8 * day })
  await loadUnfinished()
  expect(['old', 'young', 'not-begun'].map(obstacle)).toEqual(['ended', undefined, undefined])
  asked.mockImplementation(() =>
    Promise.resolve(new Response('<Error><Code>NoSuchUpload</Code></Error>', { status: 404 })),
  )
  await resumeWith('young', fileOf('young'))
  expect([obstacle('young'), queued()]).toEqual(['ended', []])
})

it('keeps an upload that cannot be aborted on the server', async () => {
  keep('a', { uploadId: 'u1' })
  await loadUnfinished()
  asked.mockImplementation(() => Promise.reject(new Error('offline')))
  await resumeWith('a', fileOf('a'))
  expect([shown(), obstacle('a')]).toEqual([['a'], undefined])
  await discardUnfinished('a')
  expect([shown(), kept.has('a')]).toEqual([['a'], true])
})
