import { beforeEach, expect, it, vi } from 'vitest'

const key = 'mainstay.notifications'
const open = async () => {
  vi.resetModules()
  return import('./notice-settings')
}
const all = { all: false, warning: false, error: false, info: false, success: false, progress: false }

beforeEach(() => localStorage.clear())

it('the settings have a flag for each type, 3 at the bottom and 30 in the list, and are kept in local storage [EN-004]', async () => {
  const { mute, useNoticeSettings } = await open()
  const settings = { muted: all, maxBottomItems: 3, maxMainItems: 30 }
  expect(useNoticeSettings.getState()).toEqual(settings)
  mute('warning', true)
  const kept = { ...settings, muted: { ...all, warning: true } }
  expect(JSON.parse(localStorage.getItem(key)!)).toMatchObject(kept)
  expect((await open()).useNoticeSettings.getState()).toEqual(kept)
})

it('what is kept has version 2, and what has another one is not read [CO-034]', async () => {
  const { mute } = await open()
  mute('error', true)
  const kept = JSON.parse(localStorage.getItem(key)!) as object
  expect(kept).toHaveProperty('version', 2)
  for (const version of [1, 3, '2', null]) {
    localStorage.setItem(key, JSON.stringify({ ...kept, version }))
    expect((await open()).useNoticeSettings.getState().muted, String(version)).toEqual(all)
  }
})

it.each(['{', 'null', '[]', '{"version":2}', '{"version":2,"muted":{"all":1},"maxMainItems":1e9,"maxBottomItems":-1}'])(
  'what is kept and is nonsense (%s) is as good as nothing',
  async (text) => {
    localStorage.setItem(key, text)
    expect((await open()).useNoticeSettings.getState()).toEqual({ muted: all, maxBottomItems: 3, maxMainItems: 30 })
  },
)

it('a change in another tab holds here too', async () => {
  const { useNoticeSettings } = await open()
  localStorage.setItem(
    key,
    JSON.stringify({ version: 2, ...useNoticeSettings.getState(), muted: { ...all, info: true } }),
  )
  dispatchEvent(new StorageEvent('storage', { key }))
  expect(useNoticeSettings.getState().muted.info).toBe(true)
})
