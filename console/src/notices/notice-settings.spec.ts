import { beforeEach, expect, it, vi } from 'vitest'

const key = 'mainstay.notifications'
const open = async () => {
  vi.resetModules()
  return import('./notice-settings')
}
const all = { all: false, warning: false, error: false, info: false, success: false, progress: false }

beforeEach(() => localStorage.clear())

it('stores a mute flag per type, the limit of 3 at the bottom and the limit of 30 in the list in local storage [EN-004]', async () => {
  const { mute, useNoticeSettings } = await open()
  const settings = { muted: all, maxBottomItems: 3, maxMainItems: 30 }
  expect(useNoticeSettings.getState()).toEqual(settings)
  mute('warning', true)
  const kept = { ...settings, muted: { ...all, warning: true } }
  expect(JSON.parse(localStorage.getItem(key)!)).toMatchObject(kept)
  expect((await open()).useNoticeSettings.getState()).toEqual(kept)
})

it('stores version 2 and ignores other versions [CO-034]', async () => {
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
  'ignores invalid stored settings (%s)',
  async (text) => {
    localStorage.setItem(key, text)
    expect((await open()).useNoticeSettings.getState()).toEqual({ muted: all, maxBottomItems: 3, maxMainItems: 30 })
  },
)

it('applies a change made in another tab', async () => {
  const { useNoticeSettings } = await open()
  localStorage.setItem(
    key,
    JSON.stringify({ version: 2, ...useNoticeSettings.getState(), muted: { ...all, info: true } }),
  )
  dispatchEvent(new StorageEvent('storage', { key }))
  expect(useNoticeSettings.getState().muted.info).toBe(true)
})
