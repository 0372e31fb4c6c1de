import { PassThrough } from 'node:stream'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { withProgressTimeout } from './streams'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

it('aborts an upload that stalls for 60 seconds, but not a slow one [CO-020]', async () => {
  const sending = new PassThrough()
  const received: string[] = []
  const ended = vi.fn()
  const reading = (async () => {
    for await (const chunk of withProgressTimeout(sending)) received.push(String(chunk))
  })().catch(ended)
  for (const chunk of ['one', 'two', 'three']) {
    sending.write(chunk)
    await vi.advanceTimersByTimeAsync(59_999)
  }
  expect(received).toEqual(['one', 'two', 'three'])
  expect(ended).not.toHaveBeenCalled()
  await vi.advanceTimersByTimeAsync(1)
  await reading
  const timedOut = { code: 'validation', message: 'The upload timed out because no data arrived' }
  expect(ended.mock.calls).toMatchObject([[timedOut]])
})
