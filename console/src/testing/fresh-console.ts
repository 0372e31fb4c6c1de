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
 * Puts the console into the state of a page that is opened for the first time: files share its modules. Stores do so by
 * themselves (zustand.ts); a module that keeps something outside of a store is named here.
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
  // the theme reads what is kept when another tab has changed it
  dispatchEvent(new StorageEvent('storage', { key: looksKey }))
}
