import { create } from 'zustand'
import { noticeFilters, type NoticeFilter } from './notice-types'

/** How notifications are told on this machine, to whoever works at it. */
export interface NoticeSettings {
  /** These are not shown in the corner of the page. `all`: do not disturb. */
  muted: Readonly<Record<NoticeFilter, boolean>>
  maxBottomItems: number
  maxMainItems: number
}

const key = 'mainstay.notifications'
/** Of what is kept; what another one has written is not read (S1§9). */
export const storageVersion = 2

const muteNone = Object.fromEntries(noticeFilters.map((type) => [type, false])) as NoticeSettings['muted']
const defaults: NoticeSettings = { muted: muteNone, maxBottomItems: 3, maxMainItems: 30 }

/** A count as it was kept, as long as it is one that a page can hold. */
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
    // refused by the browser, or written by nobody of us
    return defaults
  }
}

export const useNoticeSettings = create<NoticeSettings>()(() => read())
export const settingsNow = () => useNoticeSettings.getState()

// another tab of the same person has changed them
addEventListener('storage', (event) => {
  if (event.key === key) useNoticeSettings.setState(read())
})

/** Mutes a type, or with `all` every one of them; false lets it be told again. */
export function mute(type: NoticeFilter, isMuted: boolean) {
  useNoticeSettings.setState(({ muted }) => ({ muted: { ...muted, [type]: isMuted } }))
  try {
    localStorage.setItem(key, JSON.stringify({ version: storageVersion, ...settingsNow() }))
  } catch {
    // refused by the browser: the settings then last as long as the page
  }
}
