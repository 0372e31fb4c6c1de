import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { downloadFrom, saveAsFile } from './download'

const [made, revoked] = [vi.fn(() => 'blob:file'), vi.fn()]
beforeEach(() => {
  vi.useFakeTimers()
  revoked.mockClear()
  // jsdom implements neither function
  Object.assign(URL, { createObjectURL: made, revokeObjectURL: revoked })
})
afterEach(() => {
  vi.useRealTimers()
  for (const name of ['createObjectURL', 'revokeObjectURL']) Reflect.deleteProperty(URL, name)
})

// a repository check rejects other ways of creating download links
it.each([
  ['a text', () => saveAsFile('web-console.log', 'text'), 'web-console.log', 'blob:file', [['blob:file']]],
  ['an address', () => downloadFrom('/api/v2/reports/1/file'), '', `${location.origin}/api/v2/reports/1/file`, []],
])('removes the download link for %s after 500 ms [CO-040]', (_, download, name, address, released) => {
  const pressed = vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(() => undefined)
  download()
  const link = document.querySelector<HTMLAnchorElement>('a[download]')!
  expect([link.download, link.href, pressed.mock.contexts]).toEqual([name, address, [link]])
  vi.advanceTimersByTime(499)
  expect([link.isConnected, revoked.mock.calls]).toEqual([true, []])
  vi.advanceTimersByTime(1)
  expect([link.isConnected, revoked.mock.calls]).toEqual([false, released])
  pressed.mockRestore()
})
