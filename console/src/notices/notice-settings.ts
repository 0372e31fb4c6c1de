import { create } from 'zustand'
import { noticeFilters, type NoticeFilter } from './notice-types'

/** Notification settings, stored in this browser. */
export interface NoticeSettings {
  /** Types not shown in the corner of the page. `all` means do not disturb. */
  muted: Readonly<Record<NoticeFilter, boolean>>
  maxBottomItems: number
  maxMainItems: number
}

const key = 'mainstay.notifications'
/** Version of the stored data; other versions are ignored (S1§9). */
export const storageVersion = 2

const muteNone = Object.fromEntries(noticeFilters.map((type) => [type, false])) as NoticeSettings['muted']
const defaults: NoticeSettings = { muted: muteNone, maxBottomItems: 3, maxMainItems: 30 }

/** The stored count if it is a plausible number of notifications, otherwise `other`. */
const countOf = (value: unknown, other: number) =>
  typeof value === 'number' && Number.isInteger(value) && value > 0 && value <= 100 ? value : other

function read(): NoticeSettings {
  try {
    const kept = JSON.parse(localStorage.getItem(key) ?? 'null') as Record<string, unknown> | null
    if (kept?.['version'] !== storageVersion) return defaults
    const muted = kept['muted'] as Record<string, unknown>
    return {
      muted: Object.fromEntries(noticeFilters.map((type) => [type, muted[type] === true])) as NoticeSettings['muted'],
      maxBottomItems: countOf(kept['maxBottomItems'], defaults.maxBottomItems),
      maxMainItems: countOf(kept['maxMainItems'], defaults.maxMainItems),
    }
  } catch {
    // the browser blocks storage, or the stored data has an unknown format
    return defaults
  }
}

export const useNoticeSettings = create<NoticeSettings>()(() => read())
export const settingsNow = () => useNoticeSettings.getState()

// the settings were changed in another tab of the same browser
addEventListener('storage', (event) => {
  if (event.key === key) useNoticeSettings.setState(read())
})

/** Mutes or unmutes a notification type; `all` mutes every type. */
export function mute(type: NoticeFilter, isMuted: boolean) {
  useNoticeSettings.setState(({ muted }) => ({ muted: { ...muted, [type]: isMuted } }))
  try {
    localStorage.setItem(key, JSON.stringify({ version: storageVersion, ...settingsNow() }))
  } catch {
    // the browser blocks storage: the settings last until the page is closed
  }
}
