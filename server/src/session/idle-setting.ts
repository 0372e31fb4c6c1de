import { DEFAULT_IDLE_MINUTES, SessionSettings } from '@mainstay/contract/settings/sessions'
import type { Setting, Settings } from '../settings/settings'

export const sessionSetting: Setting<SessionSettings> = { name: 'sessions', shape: SessionSettings }

/** Minutes of inactivity after which the console signs the user out; 0 means never. */
export const idleMinutes = async (settings: Settings): Promise<number> =>
  (await settings.read(sessionSetting))?.value.idle_timeout_minutes ?? DEFAULT_IDLE_MINUTES
