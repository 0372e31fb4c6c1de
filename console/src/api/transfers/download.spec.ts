import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { saveAsFile } from './download'

const [made, revoked] = [vi.fn(() => 'blob:file'), vi.fn()]
beforeEach(() => {
  vi.useFakeTimers()
  // jsdom has neither
  Object.assign(URL, { createObjectURL: made, revokeObjectURL: revoked })
})
afterEach(() => {
  vi.useRealTimers()
  for (const name of ['createObjectURL', 'revokeObjectURL']) Reflect.deleteProperty(URL, name)
})

it('the link of a download is there for 500 ms, and goes with what it leads to [CO-040]', () => {
  const pressed = vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(() => undefined)
  saveAsFile('web-console.log', 'text')
  const link = document.querySelector<HTMLAnchorElement>('a[download]')!
  expect([link.download, link.href, pressed.mock.contexts]).toEqual(['web-console.log', 'blob:file', [link]])
  vi.advanceTimersByTime(499)
  expect([link.isConnected, revoked.mock.calls]).toEqual([true, []])
  vi.advanceTimersByTime(1)
  expect([link.isConnected, revoked.mock.calls]).toEqual([false, [['blob:file']]])
  pressed.mockRestore()
})
