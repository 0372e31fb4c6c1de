import { forgetApplied } from '../api/patch-cache'
import { stopPolls } from '../api/poll'
import { queryClient } from '../api/query-client'
import { setLanguage } from '../i18n/language'
import { setFramedPages } from '../nav/iframe'
import { setKnownPages } from '../nav/known-pages'
import { forgetTasks } from '../notices/expected-tasks'
import { forgetUploads } from '../notices/uploads'
import { writeLeaveTime } from '../session/leave-time'
import { looksKey } from '../themes/theme-storage'
import { setBranding } from '../themes/theme'
import { keepAccess } from './fresh-session'
import { resetStores } from './zustand'

/**
 * Resets the console to the state of a newly opened page, because test files share its modules. Stores reset
 * automatically (zustand.ts); other modules that hold state must be reset here.
 */
export async function freshConsole(): Promise<void> {
  queryClient.clear()
  stopPolls()
  forgetUploads()
  forgetTasks()
  forgetApplied()
  keepAccess()
  setKnownPages([])
  setFramedPages([])
  writeLeaveTime(0)
  await setLanguage('en')
  setBranding({})
  localStorage.clear()
  sessionStorage.clear()
  for (const name of document.cookie.split(/=[^;]*;? ?/)) document.cookie = `${name}=; max-age=0; path=/`
  resetStores()
  // the theme module reloads its settings on a storage event
  dispatchEvent(new StorageEvent('storage', { key: looksKey }))
}
