import { PassThrough } from 'node:stream'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { withProgressTimeout } from './streams'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

it('an upload that stands still for 60 seconds is given up, and one that moves is not [CO-020]', async () => {
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
  expect(ended.mock.calls).toMatchObject([[{ code: 'validation', message: 'The upload stalled for too long' }]])
})
