import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { HeldRequest } from '../testing/held-request'
import { imageUpload } from './image-upload'
import { abortUpload, goOn, removeUpload, startUpload, useUploads } from './uploads'

// These tests replace the timers of the whole process. No server may run in this process, because its leases would
// expire.

const sent = () => HeldRequest.sent
const last = () => sent().at(-1)!
const states = () => useUploads.getState().uploads.map(({ name, status }) => `${name} ${status}`)
const start = (name: string) => startUpload(imageUpload, name, { file: new File(['0123456789'], `${name}.raw`) })

beforeEach(() => {
  HeldRequest.sent = []
  vi.stubGlobal('XMLHttpRequest', HeldRequest)
})
afterEach(() => {
  vi.useRealTimers()
  for (const { id } of useUploads.getState().uploads) {
    abortUpload(id)
    removeUpload(id)
  }
  useUploads.setState({ uploads: [] })
  vi.unstubAllGlobals()
})

it('fails an upload that makes no progress for 60 seconds, and starts the next one [CO-020]', async () => {
  vi.useFakeTimers()
  start('stuck')
  start('next')
  await vi.advanceTimersByTimeAsync(59_000)
  last().move(5)
  await vi.advanceTimersByTimeAsync(59_000)
  expect(states()).toEqual(['stuck PROGRESS', 'next PENDING'])
  await vi.advanceTimersByTimeAsync(1_000)
  const [stuck] = useUploads.getState().uploads
  expect(stuck).toMatchObject({ status: 'FAILED', problem: { code: 'stalled' } })
  expect(states()[1]).toBe('next PROGRESS')
})

it('resumes a stalled upload, and cancels it on the server when the user dismisses it', async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true })
  const asked: string[] = []
  vi.stubGlobal('fetch', async (address: string, { method }: RequestInit) => {
    asked.push(`${method} ${address.replace(/.*\/image-uploads\/[0-9a-f-]{36}$/, 'upload')}`)
    return Response.json({ offset: 3 })
  })
  const stall = () => vi.advanceTimersByTimeAsync(60_000)
  const id = start('slow')
  await stall()
  expect(useUploads.getState().uploads).toMatchObject([{ status: 'FAILED', canGoOn: true }])
  goOn(id)
  await vi.waitFor(() => expect(sent()).toHaveLength(2))
  expect(states()).toEqual(['slow PROGRESS'])
  expect(last().headers).toMatchObject({
    'x-hci-upload-id': sent()[0]!.headers['x-hci-upload-id'],
    'x-hci-upload-offset': '3',
  })
  await stall()
  removeUpload(id)
  expect(useUploads.getState().uploads).toEqual([])
  expect(asked).toEqual(['GET upload', 'DELETE upload'])
})
